#include "integrator/zero.h"

#include <math.h>

void zero_search(bracket *b, zero_function *function, void *context, bool at_edge) {
    int side = 0;
    for (int i = 0; i < 60 && b->right - b->left > 1e-14 * b->right; i++) {
        double theta = (b->left * b->f_right - b->right * b->f_left) / (b->f_right - b->f_left);
        if (!(theta > b->left && theta < b->right)) theta = (b->left + b->right) / 2;
        const double f = function(context, theta);
        if (f > 0) {
            b->left = theta, b->f_left = f;
            if (side == 1) b->f_right /= 2;
            side = 1;
        } else {
            b->right = theta, b->f_right = f;
            if (isnan(f) && at_edge) return;
            if (side == -1) b->f_left /= 2;
            side = -1;
        }
    }
}
