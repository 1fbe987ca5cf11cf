#include "model/space.h"

void space_rotation(const double p[4], double A[3][3]) {
    double a = p[0], b = p[1], c = p[2], d = p[3], s = 2 / (a * a + space_dot(p + 1, p + 1));
    A[0][0] = 1 - s * (c * c + d * d), A[0][1] = s * (b * c - a * d), A[0][2] = s * (b * d + a * c);
    A[1][0] = s * (b * c + a * d), A[1][1] = 1 - s * (b * b + d * d), A[1][2] = s * (c * d - a * b);
    A[2][0] = s * (b * d - a * c), A[2][1] = s * (c * d + a * b), A[2][2] = 1 - s * (b * b + c * c);
}

void space_quaternion(const double A[3][3], double p[4]) {
    double trace = A[0][0] + A[1][1] + A[2][2];
    int i = 0;
    for (int k = 1; k < 4; k++)
        if (A[k - 1][k - 1] > (i ? A[i - 1][i - 1] : trace)) i = k;
    if (i == 0) {
        p[0] = sqrt(1 + trace) / 2;
        for (int k = 0; k < 3; k++) p[k + 1] = (A[(k + 2) % 3][(k + 1) % 3] - A[(k + 1) % 3][(k + 2) % 3]) / (4 * p[0]);
        return;
    }
    int a = i - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    p[i] = sqrt(1 + A[a][a] - A[b][b] - A[c][c]) / 2;
    p[0] = (A[c][b] - A[b][c]) / (4 * p[i]);
    p[b + 1] = (A[a][b] + A[b][a]) / (4 * p[i]);
    p[c + 1] = (A[a][c] + A[c][a]) / (4 * p[i]);
}
