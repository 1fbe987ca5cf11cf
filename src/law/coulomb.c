/* Coulomb friction: C is the ball of radius mu P_N (rattle (16), (17)), in one or two directions of slip; in three it
 * is the Coulomb-Contensou approximation, whose third component is the drilling velocity times a length (rattle (59)).
 *
 *   stick  |v - w| <= radius:  v = 0
 *   slip   otherwise:          w + radius d = 0,  d = (v - w)/|v - w|
 *
 * The slip row has the derivatives  dd = (I - d d^T)(dv - dw)/|v - w|. Without a normal percussion, w = 0. */
#include "law/law.h"

#include <math.h>

static double length(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void prox(int n, const double *x, double radius, double *p) {
    double size = length(n, x), shrink = !(radius > 0) ? 0 : size > radius ? radius / size : 1;
    for (int i = 0; i < n; i++) p[i] = shrink * x[i];
}

static void linearise(int n, const double *v, const double *w, double radius, law_row *row) {
    if (!(radius > 0)) {
        carom_law_open(n, w, row);
        return;
    }
    double d[LAW_SIZE];
    for (int i = 0; i < n; i++) d[i] = v[i] - w[i];
    double size = length(n, d);
    if (size <= radius) {
        carom_law_hold(n, v, row);
        return;
    }
    row->branch = LAW_SLIDE;
    for (int i = 0; i < n; i++) d[i] /= size;
    for (int i = 0; i < n; i++) {
        row->row[i] = w[i] + radius * d[i];
        row->radius[i] = d[i];
        for (int j = 0; j < n; j++) {
            double turn = radius / size * ((i == j) - d[i] * d[j]);
            row->v[i][j] = turn;
            row->w[i][j] = (i == j) - turn;
        }
    }
}

static void support(int n, const double *y, double *p, double p_y[LAW_SIZE][LAW_SIZE]) {
    const double size = law_length(n, y);
    for (int i = 0; i < n; i++) p[i] = y[i] / size;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) p_y[i][j] = ((i == j) - p[i] * p[j]) / size;
}

static double gauge(int n, const double *x, double *gauge_x) {
    const double size = law_length(n, x);
    for (int i = 0; i < n; i++) gauge_x[i] = x[i] / size;
    return size;
}

const law law_coulomb = {.info = {.name = "coulomb",
                                  .title = "Coulomb friction in one or two directions",
                                  .set = "C = {|x| <= mu P_N} in R^1 or R^2",
                                  .reference = "rattle (16)-(19); moreau (29), (30)",
                                  .energy_text = "never grows: friction opposes the slip, y r <= 0"},
                         .least = 1,
                         .most = 2,
                         .prox = prox,
                         .linearise = linearise,
                         .support = support,
                         .gauge = gauge};

const law law_coulomb_contensou = {.info = {.name = "coulomb_contensou",
                                            .title = "Coulomb-Contensou friction, ball approximation",
                                            .set = "C = {|x| <= mu P_N} in R^3: two slips and a drilling velocity",
                                            .reference = "rattle (17), (59)",
                                            .energy_text = "never grows: friction opposes slip and drilling, y r <= 0"},
                                   .least = 3,
                                   .most = 3,
                                   .prox = prox,
                                   .linearise = linearise,
                                   .support = support,
                                   .gauge = gauge};
