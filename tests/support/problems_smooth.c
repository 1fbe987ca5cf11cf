#include "ode.h"
#include "problems.h"

#include <math.h>
#include <string.h>

static const double g = 9.81;

static void unit_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = 1;
}

/* ---------------------------------------------------------------- damped pendulum with a force of time */
static void pendulum_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)p;
    h[0] = -g * csin(q[0]) - 0.2 * u[0] * csqrt(1 + u[0] * u[0]) + 3 * cos(4 * t);
}
static void pendulum_ode(double t, const double *y, double *dy, const void *c) {
    (void)c;
    dy[0] = y[1];
    dy[1] = -g * sin(y[0]) - 0.2 * y[1] * sqrt(1 + y[1] * y[1]) + 3 * cos(4 * t);
}
static void pendulum_exact(double T, double *q, double *u) {
    double y[2] = {1, 0.5};
    ode_solve(2, pendulum_ode, NULL, 0, T, y);
    q[0] = y[0], u[0] = y[1];
}
static const complex_mechanics pendulum = {
    .nq = 1, .nu = 1, .q0 = (double[]){1}, .u0 = (double[]){0.5}, .mass = unit_mass, .force = pendulum_force};

/* ---------------------------------------------------------------- two masses that share some inertia, on stiffening
 * springs: a potential, M constant */
static void springs_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = 2, M[1] = M[2] = 0.5, M[3] = 1;
}
static void springs_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)u, (void)p;
    cx d = q[1] - q[0], pull = 9 * d + 4 * d * d * d;
    h[0] = pull - 16 * q[0], h[1] = -pull;
}
static void springs_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t, (void)p;
    cx d = q[1] - q[0];
    *T = u[0] * u[0] + 0.5 * u[0] * u[1] + u[1] * u[1] / 2;
    *V = 8 * q[0] * q[0] + 4.5 * d * d + d * d * d * d;
}
static void springs_ode(double t, const double *y, double *dy, const void *c) {
    cx q[2] = {y[0], y[1]}, h[2];
    springs_force(t, q, NULL, h, c);
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = (creal(h[0]) - 0.5 * creal(h[1])) / 1.75, dy[3] = (2 * creal(h[1]) - 0.5 * creal(h[0])) / 1.75;
}
static void springs_exact(double T, double *q, double *u) {
    double y[4] = {0.4, -0.3, 0.5, 1};
    ode_solve(4, springs_ode, NULL, 0, T, y);
    memcpy(q, y, 2 * sizeof *y);
    memcpy(u, y + 2, 2 * sizeof *y);
}
static const complex_mechanics springs = {.nq = 2,
                                          .nu = 2,
                                          .q0 = (double[]){0.4, -0.3},
                                          .u0 = (double[]){0.5, 1},
                                          .mass = springs_mass,
                                          .force = springs_force,
                                          .energy = springs_energy};

/* ---------------------------------------------------------------- M(t,q) and q_dot = B(q) u + beta(t) */
static void general_kinematics(double t, const cx *q, const cx *u, cx *q_dot, const double *p) {
    (void)p;
    q_dot[0] = (2 + csin(q[0])) * u[0] + 0.3 * cos(t);
}
static void general_mass(double t, const cx *q, cx *M, const double *p) {
    (void)p;
    M[0] = 1 + 0.2 * sin(2 * t) + 0.3 * ccos(q[0]);
}
static void general_rate(double t, const cx *q, const cx *u, cx *rate, const double *p) {
    cx q_dot;
    general_kinematics(t, q, u, &q_dot, p);
    rate[0] = (0.4 * cos(2 * t) - 0.3 * csin(q[0]) * q_dot) * u[0];
}
static void general_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)p;
    h[0] = -2 * q[0] - 0.3 * u[0] * u[0] + sin(t);
}
static void general_ode(double t, const double *y, double *dy, const void *c) {
    (void)c;
    dy[0] = (2 + sin(y[0])) * y[1] + 0.3 * cos(t);
    dy[1] = (-2 * y[0] - 0.3 * y[1] * y[1] + sin(t)) / (1 + 0.2 * sin(2 * t) + 0.3 * cos(y[0]));
}
static void general_exact(double T, double *q, double *u) {
    double y[2] = {0.8, -0.4};
    ode_solve(2, general_ode, NULL, 0, T, y);
    q[0] = y[0], u[0] = y[1];
}
static const complex_mechanics general = {.nq = 1,
                                          .nu = 1,
                                          .q0 = (double[]){0.8},
                                          .u0 = (double[]){-0.4},
                                          .kinematics = general_kinematics,
                                          .mass = general_mass,
                                          .momentum_rate = general_rate,
                                          .force = general_force};

/* ---------------------------------------------------------------- spring pendulum in polar coordinates: M(q),
 * gyroscopic */
static void polar_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)p;
    M[0] = 1;
    M[3] = q[0] * q[0];
}
static void polar_rate(double t, const cx *q, const cx *u, cx *rate, const double *p) {
    (void)t, (void)p;
    rate[0] = 0;
    rate[1] = 2 * q[0] * u[0] * u[1];
}
static void polar_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)p;
    h[0] = q[0] * u[1] * u[1] - 30 * (q[0] - 1) + g * ccos(q[1]);
    h[1] = -2 * q[0] * u[0] * u[1] - g * q[0] * csin(q[1]);
}
static void polar_ode(double t, const double *y, double *dy, const void *c) {
    (void)t, (void)c;
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = y[0] * y[3] * y[3] - 30 * (y[0] - 1) + g * cos(y[1]);
    dy[3] = -(2 * y[2] * y[3] + g * sin(y[1])) / y[0];
}
static void polar_exact(double T, double *q, double *u) {
    double y[4] = {1.2, 0.7, 0, 1};
    ode_solve(4, polar_ode, NULL, 0, T, y);
    memcpy(q, y, 2 * sizeof *y);
    memcpy(u, y + 2, 2 * sizeof *y);
}
static void polar_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t, (void)p;
    *T = (u[0] * u[0] + q[0] * q[0] * u[1] * u[1]) / 2;
    *V = 15 * (q[0] - 1) * (q[0] - 1) - g * q[0] * ccos(q[1]);
}
const complex_mechanics polar = {.nq = 2,
                                 .nu = 2,
                                 .q0 = (double[]){1.2, 0.7},
                                 .u0 = (double[]){0, 1},
                                 .mass = polar_mass,
                                 .momentum_rate = polar_rate,
                                 .force = polar_force,
                                 .energy = polar_energy};

/* ---------------------------------------------------------------- pendulum in Cartesian coordinates, support at X(t)
 */
static double support(const double *p, double t) {
    return p[0] * sin(3 * t);
}
static double support_dot(const double *p, double t) {
    return 3 * p[0] * cos(3 * t);
}
static void two_masses(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1;
}
static void gravity(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = 0, h[1] = -g;
}
static void gravity_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t, (void)p;
    *T = (u[0] * u[0] + u[1] * u[1]) / 2;
    *V = g * q[1];
}
static void support_joint(double t, const cx *q, cx *c, const double *p) {
    cx x = q[0] - support(p, t);
    c[0] = (x * x + q[1] * q[1] - 1) / 2;
}
static void support_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    s[0] = (q[0] - support(p, t)) * (u[0] - support_dot(p, t)) + q[1] * u[1];
}
static void support_ode(double t, const double *y, double *dy, const void *p) {
    dy[0] = y[1];
    dy[1] = -g * sin(y[0]) + 9 * support(p, t) * cos(y[0]); /* -X_dotdot = 9 X */
}
static void support_exact(const double *p, double T, double *q, double *u) {
    double y[2] = {0.9, 0.6};
    ode_solve(2, support_ode, p, 0, T, y);
    q[0] = support(p, T) + sin(y[0]), q[1] = -cos(y[0]);
    u[0] = support_dot(p, T) + cos(y[0]) * y[1], u[1] = sin(y[0]) * y[1];
}
static void fixed_exact(double T, double *q, double *u) {
    support_exact((const double[]){0}, T, q, u);
}
static void moving_exact(double T, double *q, double *u) {
    support_exact((const double[]){0.2}, T, q, u);
}
/* sin, cos of 0.9 to double precision, and the velocities that fit the support at t = 0. */
#define SINE 0.78332690962748338846
#define COSINE 0.62160996827066445648
const complex_mechanics fixed_support = {.nq = 2,
                                         .nu = 2,
                                         .ng = 1,
                                         .parameter = (double[]){0},
                                         .q0 = (double[]){SINE, -COSINE},
                                         .u0 = (double[]){0.6 * COSINE, 0.6 * SINE},
                                         .mass = two_masses,
                                         .force = gravity,
                                         .energy = gravity_energy,
                                         .position = support_joint,
                                         .velocity = support_velocity};
const complex_mechanics moving_support = {.nq = 2,
                                          .nu = 2,
                                          .ng = 1,
                                          .parameter = (double[]){0.2},
                                          .q0 = (double[]){SINE, -COSINE},
                                          .u0 = (double[]){0.6 + 0.6 * COSINE, 0.6 * SINE},
                                          .mass = two_masses,
                                          .force = gravity,
                                          .position = support_joint,
                                          .velocity = support_velocity};

/* ---------------------------------------------------------------- knife edge on an incline, q = (x, y, phi)
 * phi = omega t turns steadily, the edge speed is (a/omega) sin(omega t): a cycloid. */
static const double incline = 4, omega = 1.7;
static void knife_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[4] = 1;
    M[8] = 0.5;
}
static void knife_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u, (void)p;
    h[0] = incline, h[1] = h[2] = 0;
}
static void knife_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    s[0] = u[0] * csin(q[2]) - u[1] * ccos(q[2]) - (p ? p[0] * sin(2 * t) : 0);
}
static void knife_exact(double T, double *q, double *u) {
    double a = omega * T, v = incline / omega * sin(a);
    q[0] = incline / (2 * omega * omega) * sin(a) * sin(a);
    q[1] = incline / (2 * omega * omega) * (a - sin(2 * a) / 2);
    q[2] = a;
    u[0] = v * cos(a), u[1] = v * sin(a), u[2] = omega;
}
const complex_mechanics knife = {.nq = 3,
                                 .nu = 3,
                                 .ngamma = 1,
                                 .q0 = (double[]){0, 0, 0},
                                 .u0 = (double[]){0, 0, 1.7},
                                 .mass = knife_mass,
                                 .force = knife_force,
                                 .velocity = knife_velocity};

/* The same edge pushed sideways with w(t) = w0 sin 2t: x_dot = v c + w s, y_dot = v s - w c, v_dot = a c - phi_dot w.
 */
static void pushed_ode(double t, const double *y, double *dy, const void *p) {
    double a = omega * t, w = *(const double *)p * sin(2 * t);
    dy[0] = y[2] * cos(a) + w * sin(a);
    dy[1] = y[2] * sin(a) - w * cos(a);
    dy[2] = incline * cos(a) - omega * w;
}
static void pushed_exact(double T, double *q, double *u) {
    double y[3] = {0}, w0 = 0.8, dy[3];
    ode_solve(3, pushed_ode, &w0, 0, T, y);
    pushed_ode(T, y, dy, &w0);
    q[0] = y[0], q[1] = y[1], q[2] = omega * T;
    u[0] = dy[0], u[1] = dy[1], u[2] = omega;
}
const complex_mechanics pushed = {.nq = 3,
                                  .nu = 3,
                                  .ngamma = 1,
                                  .parameter = (double[]){0.8},
                                  .q0 = (double[]){0, 0, 0},
                                  .u0 = (double[]){0, 0, 1.7},
                                  .mass = knife_mass,
                                  .force = knife_force,
                                  .velocity = knife_velocity};

/* ---------------------------------------------------------------- free rigid body, q the unit quaternion, u = omega in
 * it */
const double body_inertia[3] = {1, 2, 3.5};
static void quaternion(double t, const cx *q, const cx *u, cx *q_dot, const double *p) {
    (void)t, (void)p;
    q_dot[0] = (-q[1] * u[0] - q[2] * u[1] - q[3] * u[2]) / 2;
    q_dot[1] = (q[0] * u[0] - q[3] * u[1] + q[2] * u[2]) / 2;
    q_dot[2] = (q[3] * u[0] + q[0] * u[1] - q[1] * u[2]) / 2;
    q_dot[3] = (-q[2] * u[0] + q[1] * u[1] + q[0] * u[2]) / 2;
}
static void body_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    for (int i = 0; i < 3; i++) M[4 * i] = body_inertia[i];
}
static void gyroscopic(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)p;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        h[i] = (body_inertia[j] - body_inertia[k]) * u[j] * u[k];
    }
}

typedef void torque(double t, const cx *q, const cx *u, cx *h, const double *p);
typedef struct turning {
    torque *force;
} turning;
static void turning_ode(double t, const double *y, double *dy, const void *c) {
    const turning *o = c;
    cx q[4], u[3], q_dot[4], h[3];
    for (int i = 0; i < 4; i++) q[i] = y[i];
    for (int i = 0; i < 3; i++) u[i] = y[4 + i];
    quaternion(t, q, u, q_dot, NULL);
    o->force(t, q, u, h, NULL);
    for (int i = 0; i < 4; i++) dy[i] = creal(q_dot[i]);
    for (int i = 0; i < 3; i++) dy[4 + i] = creal(h[i]) / body_inertia[i];
}
static const double body_q0[4] = {0.5, 0.5, 0.5, -0.5}, body_u0[3] = {0.3, 2, -0.4};
static void turning_exact(torque *force, double T, double *q, double *u) {
    double y[7];
    memcpy(y, body_q0, sizeof body_q0);
    memcpy(y + 4, body_u0, sizeof body_u0);
    ode_solve(7, turning_ode, &(turning){force}, 0, T, y);
    memcpy(q, y, sizeof body_q0);
    memcpy(u, y + 4, sizeof body_u0);
}
static void body_exact(double T, double *q, double *u) {
    turning_exact(gyroscopic, T, q, u);
}
static void body_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    (void)t, (void)q, (void)p;
    *T = *V = 0;
    for (int i = 0; i < 3; i++) *T += body_inertia[i] * u[i] * u[i] / 2;
}
const complex_mechanics body = {.nq = 4,
                                .nu = 3,
                                .rotations = 1,
                                .rotation = &(const carom_rotation){.q = 0, .u = 0},
                                .energy = body_energy,
                                .q0 = body_q0,
                                .u0 = body_u0,
                                .kinematics = quaternion,
                                .mass = body_mass,
                                .force = gyroscopic};

/* The same held at its origin, with the weight times arm of 3 along its third axis: V = 3 A_33. */
static const double weight_arm = 3;
static void heavy_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    const cx square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    gyroscopic(t, q, u, h, p);
    h[0] += weight_arm * 2 * (q[2] * q[3] + q[0] * q[1]) / square;
    h[1] -= weight_arm * 2 * (q[1] * q[3] - q[0] * q[2]) / square;
}
static void heavy_energy(double t, const cx *q, const cx *u, cx *T, cx *V, const double *p) {
    const cx side = q[1] * q[1] + q[2] * q[2], up = q[0] * q[0] + q[3] * q[3];
    body_energy(t, q, u, T, V, p);
    *V = weight_arm * (up - side) / (up + side);
}
static void heavy_exact(double T, double *q, double *u) {
    turning_exact(heavy_force, T, q, u);
}
const complex_mechanics heavy = {.nq = 4,
                                 .nu = 3,
                                 .rotations = 1,
                                 .rotation = &(const carom_rotation){.q = 0, .u = 0},
                                 .energy = heavy_energy,
                                 .q0 = body_q0,
                                 .u0 = body_u0,
                                 .kinematics = quaternion,
                                 .mass = body_mass,
                                 .force = heavy_force};

/* ---------------------------------------------------------------- spherical pendulum, q = (theta, phi) from the
 * downward axis: phi is cyclic, M depends on theta */
static void sphere_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)p;
    M[0] = 1, M[3] = csin(q[0]) * csin(q[0]);
}
static void sphere_rate(double t, const cx *q, const cx *u, cx *rate, const double *p) {
    (void)t, (void)p;
    rate[0] = 0, rate[1] = 2 * csin(q[0]) * ccos(q[0]) * u[0] * u[1];
}
static void sphere_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)p;
    cx s = csin(q[0]), c = ccos(q[0]);
    h[0] = s * c * u[1] * u[1] - g * s;
    h[1] = -2 * s * c * u[0] * u[1];
}
const complex_mechanics sphere = {.nq = 2,
                                  .nu = 2,
                                  .q0 = (double[]){0.8, 0},
                                  .u0 = (double[]){0.2, 2.5},
                                  .mass = sphere_mass,
                                  .momentum_rate = sphere_rate,
                                  .force = sphere_force};

/* ---------------------------------------------------------------- all of them */
const problem_of_motion smooth_problems[SMOOTH_PROBLEMS] = {
    {"force of time", MOTION_FREE, 1, &pendulum, pendulum_exact},
    {"springs, coupled masses", MOTION_FREE, 1, &springs, springs_exact},
    {"M(t,q), q_dot = B u + beta", MOTION_FREE, 1, &general, general_exact},
    {"M(q), polar", MOTION_FREE, 1, &polar, polar_exact},
    {"quaternion", MOTION_FREE, 1, &body, body_exact},
    {"quaternion, heavy", MOTION_FREE, 1, &heavy, heavy_exact},
    {"joint", MOTION_JOINT, 1, &fixed_support, fixed_exact},
    {"moving joint", MOTION_JOINT, 1, &moving_support, moving_exact},
    {"knife edge", MOTION_ROLLING, 1, &knife, knife_exact},
    {"knife edge, pushed", MOTION_ROLLING, 1, &pushed, pushed_exact},
};
