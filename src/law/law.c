/* What the laws share, and their registry. */
#include "law/law.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "registry.h"

/* All laws, in the order of carom list. A new one is a file and a line here. */
// clang-format off
#define EACH_LAW(one) \
    one(bilateral) \
    one(signorini) \
    one(coulomb) \
    one(coulomb_contensou) \
    one(newton) \
    one(poisson) \
    one(energetic) \
    one(plastic)
// clang-format on
#define DECLARED(name) extern const law law_##name;
#define LISTED(name) &law_##name,

EACH_LAW(DECLARED)
static const law *const laws[] = {EACH_LAW(LISTED)};
enum { LAWS = sizeof laws / sizeof *laws };
static registry own = {.what = "law", .one = "a law"};

int carom_laws(void) {
    return LAWS + own.count;
}

static const law *law_at(int i) {
    return i < LAWS ? laws[i] : own.at[i - LAWS];
}

const carom_law_info *carom_law(int i) {
    assert(i >= 0 && i < carom_laws());
    return &law_at(i)->info;
}

const law *law_find(const char *name) {
    for (int i = 0; i < carom_laws(); i++)
        if (!strcmp(law_at(i)->info.name, name)) return law_at(i);
    return NULL;
}

const law *law_of_slips(const carom_model_contact *contact) {
    if (!contact->law) return contact->slips == 3 ? &law_coulomb_contensou : &law_coulomb;
    const law *l = law_find(contact->law);
    return l && contact->slips >= l->least && contact->slips <= l->most ? l : NULL;
}

bool law_follows_direction(const carom_model_contact *contact) {
    const law *l = law_of_slips(contact);
    return contact->slips <= 1 || (l && l->support);
}

/* ---------------------------------------------------------------- the edge of a set */

double law_length(int n, const double *x) {
    double size = 0;
    for (int i = 0; i < n; i++) size = hypot(size, x[i]);
    return size;
}

/* The end of the interval C(1) on the side of a number. */
static double end_of(const law *l, double side) {
    const double far = side < 0 ? -0x1p300 : 0x1p300;
    double end;
    l->prox(1, &far, 1, &end);
    return end;
}

void law_support(const law *l, int n, const double *y, double *p, double p_y[LAW_SIZE][LAW_SIZE]) {
    if (n > 1) l->support(n, y, p, p_y);
    else p[0] = end_of(l, y[0]), p_y[0][0] = 0;
}

double law_margin(const law *l, int n, const double *x, double radius) {
    double normal[LAW_SIZE];
    if (n == 1) return fmin(radius * end_of(l, 1) - x[0], x[0] - radius * end_of(l, -1));
    return radius - (law_length(n, x) > 0 ? l->gauge(n, x, normal) : 0);
}

bool law_normal(const law *l, int n, const double *x, double radius, double *normal) {
    if (!(radius > 0) || !(law_length(n, x) > 0)) return false;
    if (n == 1) {
        normal[0] = radius * end_of(l, 1) - x[0] < x[0] - radius * end_of(l, -1) ? 1 : -1;
        return true;
    }
    l->gauge(n, x, normal);
    const double size = law_length(n, normal);
    for (int i = 0; i < n; i++) normal[i] /= size;
    return true;
}

/* ---------------------------------------------------------------- laws of impact, and new laws */

const law *law_of_impact(const carom_model_contact *contact) {
    const law *l = contact->impact ? law_find(contact->impact) : &law_newton;
    return l && l->info.impact ? l : NULL;
}

carom_status carom_law_register(const carom_law_def *l, carom_error *error) {
    const char *name = l->info.name, *lacking = NULL;
    const bool described = l->info.title && l->info.set && l->info.reference;
    if (!described) lacking = "a title, a set and a reference";
    else if (l->info.impact) lacking = l->expand ? NULL : "the function expand";
    else if (!l->prox || !l->linearise) lacking = "the functions prox and linearise";
    else if (!l->support != !l->gauge) lacking = "both of the functions support and gauge, or none";
    else if (l->least < 1 || l->most < l->least || l->most > LAW_SIZE) lacking = "1 to 3 components (least, most)";
    return registry_add(&own, l, name, name && law_find(name), lacking, error);
}

double law_error(const law *l, int n, const double *v, const double *w, double radius) {
    double x[LAW_SIZE] = {0}, p[LAW_SIZE], error = 0;
    for (int i = 0; i < n; i++) x[i] = v[i] - w[i];
    l->prox(n, x, radius, p);
    for (int i = 0; i < n; i++) error = fmax(error, fabs(w[i] + p[i]));
    return error;
}

/* row = x, with the derivatives by v and by w; those by the radius are zero. */
static void set_row(int n, const double *x, law_branch branch, law_row *row) {
    row->branch = branch;
    for (int i = 0; i < n; i++) {
        row->row[i] = x[i];
        row->radius[i] = 0;
        for (int j = 0; j < n; j++) {
            row->v[i][j] = i == j && branch == LAW_HOLD;
            row->w[i][j] = i == j && branch == LAW_OPEN;
        }
    }
}

void carom_law_hold(int n, const double *v, law_row *row) {
    set_row(n, v, LAW_HOLD, row);
}

void carom_law_open(int n, const double *w, law_row *row) {
    set_row(n, w, LAW_OPEN, row);
}
