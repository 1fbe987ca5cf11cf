#include "ode.h"
#include "problems.h"

#include <math.h>
#include <string.h>

static const double g = 9.81;

/* ---------------------------------------------------------------- a block slipping on the floor, q = (x, y)
 * F = cos 2t along x, pressure N = 10 + 4 sin 3t: x_dot = 5 + sin(2t)/2 - mu (10 t + 4/3 (1 - cos 3t)). */
static const double block_mu = 0.3;
static void block_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1;
}
static void block_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)q, (void)u, (void)p;
    h[0] = cos(2 * t), h[1] = -10 - 4 * sin(3 * t);
}
static void block_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = q[1];
}
static void block_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = u[1], s[1] = u[0];
}
static void block_exact(double T, double *q, double *u) {
    q[0] = 5 * T + (1 - cos(2 * T)) / 4 - block_mu * (5 * T * T + 4. / 3 * (T - sin(3 * T) / 3));
    u[0] = 5 + sin(2 * T) / 2 - block_mu * (10 * T + 4. / 3 * (1 - cos(3 * T)));
    q[1] = u[1] = 0;
}
static const complex_mechanics block = {.nq = 2,
                                        .nu = 2,
                                        .contacts = 1,
                                        .contact = &(carom_model_contact){.name = "floor", .slips = 1, .friction = 0.3},
                                        .q0 = (double[]){0, 0},
                                        .u0 = (double[]){5, 0},
                                        .mass = block_mass,
                                        .force = block_force,
                                        .position = block_gap,
                                        .velocity = block_velocity};

/* ---------------------------------------------------------------- parabolic ground
 * Height y = k x^2/2 over x, the gap ((y - k x^2/2)/L)(x), L = sqrt(1 + k^2 x^2), which has unit normal (-k x, 1)/L on
 * the ground. A circle would hide errors: its chords meet both ends at the same angle. */
static const double k = 0.8;
static cx ground_gap(cx x, cx y) {
    return (y - k * x * x / 2) / csqrt(1 + k * k * x * x);
}
static cx ground_gap_dot(cx x, cx y, cx x_dot, cx y_dot) {
    cx L2 = 1 + k * k * x * x;
    return (y_dot - k * x * x_dot - (y - k * x * x / 2) * k * k * x * x_dot / L2) / csqrt(L2);
}
static cx ground_slip(cx x, cx x_dot, cx y_dot) {
    return (x_dot + k * x * y_dot) / csqrt(1 + k * k * x * x);
}

/* ---------------------------------------------------------------- a bead on it, q = (x, y, z), z along the trough
 * Pressure N = (g + k x_dot^2)/L, friction against the slip (tangential velocity, z_dot), which gravity turns. */
static const double bead_mu = 0.25;
static void bead_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[4] = M[8] = 1;
}
static void bead_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = h[2] = 0, h[1] = -g;
}
static void ground_position(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = ground_gap(q[0], q[1]);
}
static void bead_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t;
    s[0] = ground_gap_dot(q[0], q[1], u[0], u[1]);
    s[1] = ground_slip(q[0], u[0], u[1]);
    if (p[0] == 2) s[2] = u[2];
}
static void bead_ode(double t, const double *y, double *dy, const void *c) {
    (void)t, (void)c;
    double kx = k * y[0], L = sqrt(1 + kx * kx), N = (g + k * y[2] * y[2]) / L, v = hypot(L * y[2], y[3]);
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = -kx * N / L - bead_mu * N * y[2] / v;
    dy[3] = -bead_mu * N * y[3] / v;
}
static void bead_exact(double along, double T, double *q, double *u) {
    double y[4] = {-1, 0, 3, along};
    ode_solve(4, bead_ode, NULL, 0, T, y);
    q[0] = y[0], q[1] = k * y[0] * y[0] / 2, q[2] = y[1];
    u[0] = y[2], u[1] = k * y[0] * y[2], u[2] = y[3];
}
static void bowl_exact(double T, double *q, double *u) {
    bead_exact(0, T, q, u);
}
static void turning_exact(double T, double *q, double *u) {
    bead_exact(2, T, q, u);
}
#define BEAD(along, count)                                                                                             \
    {                                                                                                                  \
        .nq = 3, .nu = 3, .contacts = 1,                                                                               \
        .contact = &(carom_model_contact){.name = "ground", .slips = (count), .friction = 0.25},                       \
        .parameter = (double[]){(count)}, .q0 = (double[]){-1, 0.4, 0}, .u0 = (double[]){3, -2.4, (along)},            \
        .mass = bead_mass, .force = bead_force, .position = ground_position, .velocity = bead_velocity                 \
    }
static const complex_mechanics bowl = BEAD(0, 1), turning = BEAD(2, 2);

/* ---------------------------------------------------------------- a spinning puck, q = (x, y, z, psi), three slips
 * (x_dot, y_dot, r psi_dot) in one ball; spin decays faster at first, so the slip turns. */
static const double puck_arm = 0.25, puck_inertia = 0.03125, puck_friction = 4;
static void puck_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[5] = M[10] = 1;
    M[15] = puck_inertia;
}
static void puck_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = h[1] = h[3] = 0, h[2] = -10;
}
static void puck_gap(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = q[2];
}
static void puck_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)q, (void)p;
    s[0] = u[2], s[1] = u[0], s[2] = u[1], s[3] = puck_arm * u[3];
}
static void puck_ode(double t, const double *y, double *dy, const void *c) {
    (void)t, (void)c;
    double w = puck_arm * y[5], v = sqrt(y[3] * y[3] + y[4] * y[4] + w * w);
    for (int i = 0; i < 3; i++) dy[i] = y[3 + i];
    dy[3] = -puck_friction * y[3] / v, dy[4] = -puck_friction * y[4] / v;
    dy[5] = -puck_friction * w / v * puck_arm / puck_inertia;
}
static void puck_exact(double T, double *q, double *u) {
    double y[6] = {0, 0, 0, 2, -1, 8};
    ode_solve(6, puck_ode, NULL, 0, T, y);
    q[0] = y[0], q[1] = y[1], q[2] = 0, q[3] = y[2];
    u[0] = y[3], u[1] = y[4], u[2] = 0, u[3] = y[5];
}
static const complex_mechanics puck = {.nq = 4,
                                       .nu = 4,
                                       .contacts = 1,
                                       .contact = &(carom_model_contact){.name = "table", .slips = 3, .friction = 0.4},
                                       .q0 = (double[]){0, 0, 0, 0},
                                       .u0 = (double[]){2, -1, 0, 8},
                                       .mass = puck_mass,
                                       .force = puck_force,
                                       .position = puck_gap,
                                       .velocity = puck_velocity};

/* ---------------------------------------------------------------- a disk rolling in a track, q = (x, y, phi)
 * Its centre follows the parabola; slip v + r phi_dot with v = L x_dot. Rolling, 3/2 v_dot = -g k x/L. */
static const double disk_radius = 0.3;
static void disk_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[4] = 1;
    M[8] = disk_radius * disk_radius / 2;
}
static void disk_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    s[0] = ground_gap_dot(q[0], q[1], u[0], u[1]);
    s[1] = ground_slip(q[0], u[0], u[1]) + disk_radius * u[2];
}
static void track_ode(double t, const double *y, double *dy, const void *c) {
    (void)t, (void)c;
    double kx = k * y[0], L = sqrt(1 + kx * kx);
    dy[0] = y[1];
    dy[1] = (-2. / 3 * g * kx - k * kx * y[1] * y[1]) / (L * L);
    dy[2] = -L * y[1] / disk_radius;
}
static void track_exact(double T, double *q, double *u) {
    double y[3] = {-1, 0.5, 0}, dy[3];
    ode_solve(3, track_ode, NULL, 0, T, y);
    track_ode(T, y, dy, NULL);
    q[0] = y[0], q[1] = k * y[0] * y[0] / 2, q[2] = y[2];
    u[0] = y[1], u[1] = k * y[0] * y[1], u[2] = dy[2];
}
static const complex_mechanics track = {.nq = 3,
                                        .nu = 3,
                                        .contacts = 1,
                                        .contact = &(carom_model_contact){.name = "track", .slips = 1, .friction = 0.8},
                                        .q0 = (double[]){-1, 0.4, 0},
                                        .u0 =
                                            (double[]){0.5, -0.4, -0.5 * 1.2806248474865697 / 0.3}, /* L = sqrt 1.64 */
                                        .mass = disk_mass,
                                        .force = bead_force,
                                        .position = ground_position,
                                        .velocity = disk_velocity};

/* ---------------------------------------------------------------- a ball rolling in the trough, q = (x, y, z, turns)
 * v and omega in the fixed frame, turns the integrals of omega; slip v - r omega x n. Along the axis v_z = r omega_t,
 * and as t and n turn by a = atan(k x), spin omega_n about the normal becomes motion along the axis and comes back: 7/5
 * d(L x_dot)/dt = -g k x/L,   7/2 v_z_dot = r a_dot omega_n,   r omega_n_dot = -a_dot v_z. What a planar track hides,
 * velocities whose directions turn between the ends of a step, is first order here. */
static const double ball_radius = 0.2;
static void ball_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    for (int i = 0; i < 3; i++) M[7 * i] = 1, M[7 * (i + 3)] = 0.4 * ball_radius * ball_radius;
}
static void ball_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    for (int i = 0; i < 6; i++) h[i] = i == 1 ? -g : 0;
}
static void ball_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    s[0] = ground_gap_dot(q[0], q[1], u[0], u[1]);
    s[1] = ground_slip(q[0], u[0], u[1]) + ball_radius * u[5];
    s[2] = u[2] - ball_radius * ground_slip(q[0], u[3], u[4]);
}
/* y = (x, z, x_dot, v_z, r omega_n, turns) */
static void ball_omega(const double *y, double *spin) {
    double kx = k * y[0], L = sqrt(1 + kx * kx), w_t = y[3] / ball_radius, w_n = y[4] / ball_radius;
    spin[0] = (w_t - kx * w_n) / L;
    spin[1] = (kx * w_t + w_n) / L;
    spin[2] = -L * y[2] / ball_radius;
}
static void ball_ode(double t, const double *y, double *dy, const void *c) {
    (void)t, (void)c;
    double kx = k * y[0], L2 = 1 + kx * kx, a_dot = k * y[2] / L2;
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = (-5. / 7 * g * kx - k * kx * y[2] * y[2]) / L2;
    dy[3] = 2. / 7 * a_dot * y[4];
    dy[4] = -a_dot * y[3];
    ball_omega(y, dy + 5);
}
static const double ball_start[8] = {-1, 0, 1, 1.5, 2};
static void ball_state(const double *y, double *q, double *u) {
    q[0] = y[0], q[1] = k * y[0] * y[0] / 2, q[2] = y[1];
    u[0] = y[2], u[1] = k * y[0] * y[2], u[2] = y[3];
    memcpy(q + 3, y + 5, 3 * sizeof *y);
    ball_omega(y, u + 3);
}
static void ball_exact(double T, double *q, double *u) {
    double y[8];
    memcpy(y, ball_start, sizeof y);
    ode_solve(8, ball_ode, NULL, 0, T, y);
    ball_state(y, q, u);
}
static double ball_q0[6], ball_u0[6];
const complex_mechanics ball = {.nq = 6,
                                .nu = 6,
                                .contacts = 1,
                                .contact = &(carom_model_contact){.name = "trough", .slips = 2, .friction = 0.8},
                                .q0 = ball_q0,
                                .u0 = ball_u0,
                                .mass = ball_mass,
                                .force = ball_force,
                                .position = ground_position,
                                .velocity = ball_velocity};
__attribute__((constructor)) static void ball_begin(void) {
    ball_state(ball_start, ball_q0, ball_u0);
}

/* ---------------------------------------------------------------- all of them */
const problem_of_motion contact_problems[CONTACT_PROBLEMS] = {
    {"disk rolling in a track", MOTION_ROLLING, 1, &track, track_exact},
    {"ball rolling in a trough", MOTION_ROLLING, 1, &ball, ball_exact},
    {"slip on a plane", MOTION_SLIDING, 1, &block, block_exact},
    {"slip in a bowl", MOTION_SLIDING, 0.5, &bowl, bowl_exact},
    {"turning slip in a trough", MOTION_SLIDING, 0.5, &turning, turning_exact},
    {"turning slip of a puck", MOTION_SLIDING, 0.4, &puck, puck_exact},
};
