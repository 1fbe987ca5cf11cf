#include "support/rk4.h"

void rk4_step(rk4_field *f, int n, double t, double h, double *y) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double sum[RK4_MOST] = {0}, k[RK4_MOST] = {0}, z[RK4_MOST];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < n; i++) z[i] = y[i] + at[stage] * h * k[i];
        f(t + at[stage] * h, z, k);
        for (int i = 0; i < n; i++) sum[i] += weight[stage] * h * k[i];
    }
    for (int i = 0; i < n; i++) y[i] += sum[i];
}

void rk4_run(rk4_field *f, int n, double until, int steps, double *y) {
    for (int i = 0; i < steps; i++) rk4_step(f, n, i * until / steps, until / steps, y);
}
