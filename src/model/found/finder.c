#include "finder.h"

#include "model/space.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- making one */

finder *finder_create(void) {
    return calloc(1, sizeof(finder));
}

/* Room for one more of a list that grows by doubling. */
static bool grow(void *list, int count, size_t size) {
    void **at = list;
    if (count & (count - 1)) return true;
    void *more = realloc(*at, (count ? 2 * (size_t)count : 1) * size);
    if (more) *at = more;
    return more != NULL;
}

int finder_add_body(finder *f, const char *name, const body *form, int q, int u) {
    if (!grow(&f->body, f->bodies, sizeof *f->body)) return -1;
    finder_body *b = &f->body[f->bodies];
    *b = (finder_body){.name = strdup(name), .q = q, .u = u, .own = -1};
    body_shape(&b->form, form->kind, body_axes(form));
    b->form.nq = form->nq, b->form.nu = form->nu;
    return b->name ? f->bodies++ : -1;
}

static bool form_solid(solid *x, const shape *s, const double origin[3]) {
    x->arm = 0;
    if (!core_create(&x->core, s, origin)) {
        core_destroy(&x->core);
        return false;
    }
    for (int i = 0; i < x->core.vertices; i++)
        x->arm = fmax(x->arm, sqrt(space_dot(x->core.vertex[i], x->core.vertex[i])) + x->core.rim);
    return true;
}

int finder_add_solid(finder *f, int of, int number, const shape *s, const double origin[3]) {
    if (!grow(&f->solid, f->solids, sizeof *f->solid)) return -1;
    solid *x = &f->solid[f->solids];
    *x = (solid){.body = of, .number = number};
    if (!form_solid(x, s, origin)) return -1;
    if (number == 0) f->body[of].own = f->solids;
    return f->solids++;
}

int finder_own_solid(const finder *f, int of, int number) {
    const int i = f->body[of].own + number;
    return f->body[of].own >= 0 && i < f->solids && f->solid[i].body == of && f->solid[i].number == number ? i : -1;
}

bool finder_add_law(finder *f, const carom_model_contact *contact) {
    if (!grow(&f->law, f->laws, sizeof *f->law)) return false;
    finder_law *l = &f->law[f->laws++];
    *l = (finder_law){.contact = *contact};
    l->contact.name = strdup(contact->name);
    l->contact.law = contact->law ? strdup(contact->law) : NULL;
    l->contact.impact = contact->impact ? strdup(contact->impact) : NULL;
    return l->contact.name && (l->contact.law || !contact->law) && (l->contact.impact || !contact->impact);
}

bool finder_join(finder *f, int number, int group) {
    finder_law *l = &f->law[f->laws - 1];
    for (; l->groups <= number; l->groups++) {
        if (!grow(&l->group, l->groups, sizeof *l->group)) return false;
        l->group[l->groups] = 0;
    }
    l->group[number] |= (unsigned char)group;
    return true;
}

bool finder_add_change(finder *f, const finder_change *change) {
    if (!grow(&f->change, f->changes, sizeof *f->change)) return false;
    f->change[f->changes++] = *change;
    return true;
}

/* ---------------------------------------------------------------- other numbers */

/* Returns the numbers of the next change; NULL: out of memory. */
static const double *take_change(finder *f, const finder_change *c, const double *x) {
    if (c->solid >= 0) {
        shape s = c->shape;
        shape_set(&s, x);
        return form_solid(&f->solid[c->solid], &s, x + SHAPE_NUMBERS) ? x + SOLID_NUMBERS : NULL;
    }
    carom_model_contact *contact = &f->law[c->law].contact;
    contact->friction = x[0], contact->restitution = x[1];
    contact->tangential_restitution = x[2], contact->rest = x[3];
    return x + LAW_NUMBERS;
}

static void *copy_list(const void *list, int count, size_t size) {
    void *copy = malloc((size_t)count * size + 1);
    return copy && count ? memcpy(copy, list, (size_t)count * size) : copy;
}

finder *finder_with(const finder *f, const double *numbers) {
    finder *own = copy_list(f, 1, sizeof *f);
    if (!own) return NULL;
    own->shares = true, own->changes = 0;
    own->solid = copy_list(f->solid, f->solids, sizeof *f->solid);
    own->law = copy_list(f->law, f->laws, sizeof *f->law);
    for (; own->solid && own->law && numbers && own->changes < f->changes; own->changes += numbers != NULL)
        numbers = take_change(own, &f->change[own->changes], numbers);
    if (own->solid && own->law && numbers) return own;
    finder_destroy(own);
    return NULL;
}

static void destroy_sharing(finder *f) {
    for (int i = 0; i < f->changes; i++)
        if (f->change[i].solid >= 0) core_destroy(&f->solid[f->change[i].solid].core);
    free(f->solid);
    free(f->law);
    free(f);
}

void finder_destroy(finder *f) {
    if (!f) return;
    if (f->shares) {
        destroy_sharing(f);
        return;
    }
    for (int i = 0; i < f->bodies; i++) free(f->body[i].name);
    for (int i = 0; i < f->solids; i++) core_destroy(&f->solid[i].core);
    for (int i = 0; i < f->laws; i++) {
        free((char *)f->law[i].contact.name);
        free((char *)f->law[i].contact.law);
        free((char *)f->law[i].contact.impact);
        free(f->law[i].group);
    }
    free(f->body);
    free(f->solid);
    free(f->law);
    free(f->change);
    free(f);
}

/* ---------------------------------------------------------------- looking */

int finder_law_of(const finder *f, int a, int b) {
    if (f->solid[a].body == f->solid[b].body) return -1;
    if (f->body[f->solid[a].body].form.nq + f->body[f->solid[b].body].form.nq == 0) return -1;
    for (int k = f->laws - 1; k >= 0; k--) {
        const finder_law *l = &f->law[k];
        const int x = a < l->groups ? l->group[a] : 0, y = b < l->groups ? l->group[b] : 0;
        if ((x & 1 && y & 2) || (x & 2 && y & 1)) return k;
    }
    return -1;
}

core_pose finder_pose(const finder *f, int number, const double *q) {
    static const core_pose world = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const finder_body *b = &f->body[number];
    core_pose at = world;
    for (int i = 0; i < body_axes(&b->form) && b->form.nq; i++) at.r[i] = q[b->q + i];
    if (b->form.kind == BODY_SPATIAL) space_rotation(q + b->q + 3, at.A);
    if (b->form.kind == BODY_PLANAR) {
        const double phi = q[b->q + 2];
        at.A[0][0] = at.A[1][1] = cos(phi), at.A[1][0] = sin(phi), at.A[0][1] = -sin(phi);
    }
    return at;
}
