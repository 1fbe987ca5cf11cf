#include "picture/view.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const views[] = {"front", "side", "top"};

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double length_of(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static void name_axes(view *v) {
    static const char *const letters[] = {"x", "y", "z"};
    for (int j = 0; j < 2; j++) {
        v->name[j] = NULL;
        for (int i = 0; i < 3; i++)
            if (v->axis[j][i] == 1) v->name[j] = letters[i];
    }
    if (!v->name[0] || !v->name[1]) v->name[0] = v->name[1] = NULL;
}

/* The axes of the picture for an upright eye: right = up x eye. Looking along the vertical, x points to the right. */
static void look_from(view *v, const double from[3], const double vertical[3]) {
    double eye = length_of(from), right = 0;
    for (int i = 0; i < 3; i++) v->axis[2][i] = from[i] / eye;
    cross(vertical, v->axis[2], v->axis[0]);
    right = length_of(v->axis[0]);
    for (int i = 0; i < 3; i++) v->axis[0][i] = right > 1e-6 ? v->axis[0][i] / right : i == 0;
    cross(v->axis[2], v->axis[0], v->axis[1]);
    name_axes(v);
}

static carom_status read_direction(const char *text, double from[3], carom_error *error) {
    const char *at = text;
    char *end = NULL;
    bool fine = true;
    for (int i = 0; i < 3 && fine; i++) {
        from[i] = strtod(at, &end);
        fine = end != at && isfinite(from[i]) && *end == (i < 2 ? ',' : '\0');
        at = end + 1;
    }
    if (fine && length_of(from) > 0) return CAROM_OK;
    const char *near = carom_nearest(text, views, 3);
    return carom_error_set(error, CAROM_DATA,
                           "there is no view '%.80s'%s%s%s: front, side, top, or the direction to the eye as in 1,-2,1",
                           text, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

carom_status view_read(view *v, const char *text, const drawing *d, carom_error *error) {
    double vertical[3] = {0, d->up == 1, d->up == 2}, forward[3] = {0, d->up == 2 ? -1 : 0, d->up == 1};
    double from[3] = {0};
    v->flat = !text && d->planar;
    if (v->flat) from[2] = 1, vertical[1] = 1, vertical[2] = 0;
    else if (!text)
        for (int i = 0; i < 3; i++) from[i] = (i == 0) + 1.8 * forward[i] + 0.8 * vertical[i];
    else if (strcmp(text, "front") == 0) memcpy(from, forward, sizeof from);
    else if (strcmp(text, "side") == 0) from[0] = 1;
    else if (strcmp(text, "top") == 0) memcpy(from, vertical, sizeof from);
    else if (read_direction(text, from, error)) return CAROM_DATA;
    look_from(v, from, vertical);
    return CAROM_OK;
}

void view_project(const view *v, const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = v->axis[i][0] * x[0] + v->axis[i][1] * x[1] + v->axis[i][2] * x[2];
}
