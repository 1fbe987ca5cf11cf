/* With Legendre's polynomials P_k on [-1, 1], n = s - 1 and x = 2c - 1:
 *
 *     (1 - x^2) P_n'(x) = 0,     b_i = 1/(s n P_n(x_i)^2)                                                    (B1)
 *     l_j(x) = b_j sum_k P_k(x_j) P_k(x) / g_k,   g_k = sum_i b_i P_k(x_i)^2 = 1/(2k+1),  g_n = 1/n           (B2)
 *     a_ij = int_0^{c_i} l_j = b_j sum_k P_k(x_j)/g_k I_k(x_i),   I_0 = (x+1)/2,  I_k = (P_{k+1} - P_{k-1})/(2(2k+1))
 *     a^_ij = b_j (1 - a_ji/b_i)                                                                             (B4)
 *     Pi = I - P_n (b P_n)^T / g_n                                                                           (B5)
 *
 * No polynomial is ever expanded in powers, so that any s is as accurate as s = 2. */
#include "integrator/lobatto_coefficients.h"

#include <math.h>
#include <stdlib.h>

/* P_0(x) .. P_s(x) */
static void legendre(int s, long double x, long double *P) {
    P[0] = 1;
    P[1] = x;
    for (int k = 1; k < s; k++) P[k + 1] = ((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1);
}

/* The i-th node of (B1): Newton's method on (1 - x^2) P_n', whose derivative is -n s P_n. */
static long double node(int s, int i, long double *P) {
    if (i == 0 || i == s - 1) return i == 0 ? -1 : 1;
    if (2 * i == s - 1) return 0;
    long double x = -cosl(acosl(-1) * i / (s - 1));
    for (int iteration = 0; iteration < 30; iteration++) {
        legendre(s, x, P);
        x -= (x * P[s - 1] - P[s - 2]) / (s * P[s - 1]);
    }
    return x;
}

/* I_k at the node whose polynomials are P. */
static long double integral(int k, const long double *P) {
    return k == 0 ? (P[1] + 1) / 2 : (P[k + 1] - P[k - 1]) / (2 * (2 * k + 1));
}

bool lobatto_coefficients(int s, double *c, double *b, double *a, double *a_hat, double *pi) {
    size_t size = (size_t)s, row = size + 1;
    long double *P = malloc((size * row + size + size * size) * sizeof *P); /* P_k(x_i) at P[i*row + k] */
    if (!P) return false;
    long double *weight = P + size * row, *A = weight + s;
    int n = s - 1;
    for (int i = 0; i < s; i++) {
        long double *at = P + (size_t)i * row, x = node(s, i, at);
        legendre(s, x, at);
        weight[i] = 1 / (s * n * at[n] * at[n]);
        c[i] = (double)((x + 1) / 2);
        b[i] = (double)weight[i];
    }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            const long double *at = P + (size_t)i * row, *of = P + (size_t)j * row;
            long double sum = 0;
            for (int k = 0; k < s; k++) sum += of[k] * (k < n ? 2 * k + 1 : n) * integral(k, at);
            A[i * s + j] = i == 0 ? 0 : i == n ? weight[j] : weight[j] * sum;
            pi[i * s + j] = (double)((i == j) - n * at[n] * weight[j] * of[n]);
        }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            a[i * s + j] = (double)A[i * s + j];
            a_hat[i * s + j] = j == n ? 0 : (double)(weight[j] * (1 - A[j * s + i] / weight[i]));
        }
    free(P);
    return true;
}
