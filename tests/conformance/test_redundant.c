/* More contacts and joints than the motion needs: multipliers are not unique, the motion is. It is compared with the
 * same system without the redundancy, or with its closed solution; constant forces and constant W are integrated
 * exactly. */
#include "support/complex_model.h"
#include "support/ode.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>

static const double tolerance = 1e-12; /* of a step */
static const double round_off = 1e-10; /* of a run of some hundred steps, each solved to the tolerance */

/* What a velocity, an angle or a position may be off at the end. Where contacts act on velocity level, that is where
 * g <= 0 and not where g is a positive round-off, one opens now and then for a step and falls by gravity dt, gravity
 * dt^2 in position; and sliding is first order. */
static double velocity_slack(const carom_integrator_info *integrator, double dt) {
    return integrator->promise.positions ? round_off : 20 * dt;
}

/* ---------------------------------------------------------------- box on four corners
 * q = (x, y, z, alpha, beta, psi), small rotations, corners at (+-A, +-B), friction in two directions at each: 12
 * contact rows for 6 coordinates. Tilted gravity (gx, 0, -gz). */
enum { GX, GZ };
static const double box_mass_value = 2, box_inertia[3] = {0.5, 0.7, 0.9}, A = 0.4, B = 0.3;
static const double corner_x[4] = {0.4, 0.4, -0.4, -0.4}, corner_y[4] = {0.3, -0.3, 0.3, -0.3};

static void box_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    for (int i = 0; i < 3; i++) M[7 * i] = box_mass_value, M[7 * (i + 3)] = box_inertia[i];
}
static void box_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u;
    for (int i = 0; i < 6; i++) h[i] = 0;
    h[0] = box_mass_value * p[GX];
    h[2] = -box_mass_value * p[GZ];
}
static void box_gaps(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    for (int k = 0; k < 4; k++) gap[k] = q[2] + corner_y[k] * q[3] - corner_x[k] * q[4];
}
static void box_velocities(double t, const cx *q, const cx *u, cx *s, const double *p) {
    box_gaps(t, u, s, p); /* linear */
    (void)q;
    for (int k = 0; k < 4; k++) {
        s[4 + 2 * k] = u[0] - corner_y[k] * u[5];
        s[5 + 2 * k] = u[1] + corner_x[k] * u[5];
    }
}

typedef struct box_case {
    double mu, gx, z0, u0[6];
    double end[6], end_u[6]; /* expected at t = 0.5 */
} box_case;

static void check_box(const box_case *c, const carom_integrator_info *integrator) {
    carom_model_contact contact[4] = {{.name = "c1", .slips = 2, .friction = c->mu},
                                      {.name = "c2", .slips = 2, .friction = c->mu},
                                      {.name = "c3", .slips = 2, .friction = c->mu},
                                      {.name = "c4", .slips = 2, .friction = c->mu}};
    const double p[] = {c->gx, 10}, q0[6] = {0, 0, c->z0};
    const complex_mechanics box = {.nq = 6,
                                   .nu = 6,
                                   .contacts = 4,
                                   .contact = contact,
                                   .q0 = q0,
                                   .u0 = c->u0,
                                   .parameter = p,
                                   .mass = box_mass,
                                   .force = box_force,
                                   .position = box_gaps,
                                   .velocity = box_velocities};
    carom_model *model = complex_model(&box);
    const double dt = 1e-3;
    trial run;
    double impulse = 0;
    bool made = trial_offer(&run, model, integrator->name, dt, 0.5, tolerance);
    while (made && !carom_sim_done(run.sim)) {
        trial_step(&run);
        const double *P = carom_sim_percussion(run.sim);
        for (int k = 0; k < 4; k++) {
            assert_at_least(P[k], -1e-13);
            assert_at_most(hypot(P[4 + 2 * k], P[5 + 2 * k]), c->mu * P[k] + box_mass_value * tolerance);
            impulse += P[k];
        }
    }
    const double slack = velocity_slack(integrator, dt);
    if (made) assert_near(impulse, box_mass_value * 10 * 0.5, 10 * slack); /* all falling momentum taken up */
    for (int i = 0; i < 6 && made; i++) {
        assert_near(carom_sim_u(run.sim)[i], c->end_u[i], slack);
        assert_near(carom_sim_q(run.sim)[i], c->end[i], slack);
    }
    if (made) trial_close(&run);
    carom_model_destroy(model);
}

static void box_on_four_corners(void **state) {
    (void)state;
    const double r = hypot(A, B), spin = 0.4 * 2 * 10 * r / 0.9 * 0.5; /* lost by mu m g r / J in 0.5 s */
    const box_case cases[] = {
        {.mu = 0.5, .gx = 4},                              /* sticks on the slope */
        {.mu = 1, .gx = 9.99},                             /* just sticks */
        {.mu = 0.2, .gx = 4, .end = {0.25}, .end_u = {1}}, /* slides with gx - mu gz = 2 */
        {.mu = 0.4,
         .u0 = {0, 0, 0, 0, 0, 3},
         .end = {0, 0, 0, 0, 0, (3 + 3 - spin) / 2 * 0.5},
         .end_u = {0, 0, 0, 0, 0, 3 - spin}},                                 /* spins flat on the floor */
        {.mu = 0, .gx = 4, .u0 = {0, 1}, .end = {0.5, 0.5}, .end_u = {2, 1}}, /* no friction */
    };
    /* Dropped flat: four impacts at once, then rest. */
    const box_case drop = {.mu = 0.5, .z0 = 0.2};
    for (int k = 0; k < carom_integrators(); k++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_box(&cases[i], carom_integrator(k));
        if (carom_integrator(k)->promise.positions) check_box(&drop, carom_integrator(k));
    }
}

/* ---------------------------------------------------------------- a doubled joint */
static void pendulum_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[3] = 1.5;
}
static void pendulum_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)p;
    h[0] = -0.1 * u[0];
    h[1] = -1.5 * 9.81;
}
static void circle(double t, const cx *q, cx *g, const double *p) {
    (void)t;
    for (int i = 0; i < (int)p[0]; i++) g[i] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
}
static void circle_velocity(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t;
    for (int i = 0; i < (int)p[0]; i++) s[i] = q[0] * u[0] + q[1] * u[1];
}

static void doubled_joint(void **state) {
    (void)state;
    const double q0[] = {0.6, -0.8}, u0[] = {0.8, 0.6};
    for (int k = 0; k < carom_integrators(); k++) {
        trial run[2];
        bool made = true;
        carom_model *model[2];
        const double copies[2] = {1, 2};
        complex_mechanics pendulum[2];
        for (int i = 0; i < 2; i++) {
            pendulum[i] = (complex_mechanics){.nq = 2,
                                              .nu = 2,
                                              .ng = i + 1,
                                              .q0 = q0,
                                              .u0 = u0,
                                              .parameter = &copies[i],
                                              .mass = pendulum_mass,
                                              .force = pendulum_force,
                                              .position = circle,
                                              .velocity = circle_velocity};
            model[i] = complex_model(&pendulum[i]);
            made = trial_offer(&run[i], model[i], carom_integrator(k)->name, 1e-3, 1, tolerance);
        }
        while (made && !carom_sim_done(run[0].sim)) {
            for (int i = 0; i < 2; i++) trial_step(&run[i]);
            for (int i = 0; i < 2; i++) {
                assert_near(carom_sim_q(run[1].sim)[i], carom_sim_q(run[0].sim)[i], round_off);
                assert_near(carom_sim_u(run[1].sim)[i], carom_sim_u(run[0].sim)[i], round_off);
            }
            const double *P = carom_sim_percussion(run[1].sim);
            assert_near(P[0] + P[1], carom_sim_percussion(run[0].sim)[0], round_off);
        }
        for (int i = 0; i < 2; i++) {
            if (made) trial_close(&run[i]);
            carom_model_destroy(model[i]);
        }
    }
}

/* ---------------------------------------------------------------- the slider in a guide without play
 * d = 2 b closes all four corners at once and for ever: y3 = phi3 = 0 and one freedom is left, the crank angle with
 * l1 sin(phi1) + l2 sin(phi2) = 0. Frictionless, T + V = J(phi1) phi1_dot^2/2 + V(phi1) is constant, so
 * phi1_dot = sqrt(2 (E - V)/J) is a first-order equation of motion. */
static const double l1 = 0.153, l2 = 0.306, m1 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, gravity = 9.81;

/* Derivatives of all coordinates by phi1, and the potential. */
static double crank_inertia(double phi1, double *V) {
    double s1 = sin(phi1), c1 = cos(phi1), s2 = -l1 / l2 * s1, c2 = sqrt(1 - s2 * s2), r = -l1 * c1 / (l2 * c2);
    double x1 = -l1 / 2 * s1, y1 = l1 / 2 * c1, x2 = -l1 * s1 - l2 / 2 * s2 * r, y2 = l1 * c1 + l2 / 2 * c2 * r;
    double x3 = -l1 * s1 - l2 * s2 * r;
    *V = gravity * m1 * (l1 / 2 * s1 + l1 * s1 + l2 / 2 * s2);
    return m1 * (x1 * x1 + y1 * y1) + J1 + m1 * (x2 * x2 + y2 * y2) + J2 * r * r + m3 * x3 * x3;
}

static void crank(double t, const double *y, double *dy, const void *energy) {
    (void)t;
    double V, J = crank_inertia(y[0], &V);
    dy[0] = sqrt(2 * (*(const double *)energy - V) / J);
}

static double slider_error(const char *integrator, double dt) {
    char scheme[64], step[40];
    snprintf(step, sizeof step, "run.dt=%.17g", dt);
    snprintf(scheme, sizeof scheme, "run.integrator=%s", integrator);
    trial run = trial_scene("paper/rattle/slider_crank", "parameters.d=2*b", "model.coordinates.phi3.start=0",
                            "parameters.mu=0", step, "run.tolerance=1e-10", scheme, NULL);
    double V, J = crank_inertia(0, &V), E = J * 150 * 150 / 2 + V, y = 0, t, worst = 0;
    assert_near(trial_value(&run, "E"), E, 1e-12);
    ode *exact = ode_open(1, crank, NULL, &E, 0, &y);
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        ode_advance(exact, trial_value(&run, "t"), &t, &y);
        worst = fmax(worst, fabs(trial_value(&run, "phi1") - y));
        assert_near(trial_value(&run, "y3"), 0, 1e-9);
        assert_near(trial_value(&run, "phi3"), 0, 1e-9);
    }
    ode_close(exact);
    trial_close(&run);
    return worst;
}

static void slider_with_four_closed_corners(void **state) {
    (void)state;
    for (int k = 0; k < carom_integrators(); k++) {
        const carom_integrator_info *info = carom_integrator(k);
        if (!info->promise.positions || !info->promise.joint_order) continue;
        /* the guide is made of contacts: schemes that take them with first order take smaller steps */
        const int sliding = info->promise.sliding_order, joint = info->promise.joint_order;
        const int order = sliding < joint ? sliding : joint;
        const double dt = order == 1 ? 1.25e-5 : 1e-4;
        double coarse = slider_error(info->name, 2 * dt), fine = slider_error(info->name, dt);
        printf("%s: phi1 off by %.2e at dt = %g, %.2e at dt = %g after 22 rad\n", info->name, coarse, 2 * dt, fine, dt);
        assert_at_most(fine, 22 * pow(150 * dt, fmin(order, 2))); /* 22 rad in steps of 150 dt rad */
        if (fine > 1e-6) assert_at_least(log2(coarse / fine), order - 0.15);
    }
}

/* With friction the pressure between the guides is not unique; every solution loses energy and stays in its cones. */
static void slider_with_four_closed_rubbing_corners(void **state) {
    (void)state;
    trial run = trial_scene("paper/rattle/slider_crank", "parameters.d=2*b", "model.coordinates.phi3.start=0", NULL);
    const double E0 = trial_value(&run, "E");
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double *P = carom_sim_percussion(run.sim) + 6;
        for (int k = 0; k < 4; k++) {
            assert_at_least(P[k], -1e-13);
            assert_at_most(fabs(P[4 + k]), 0.01 * P[k] + 1e-12);
        }
        assert_near(trial_value(&run, "phi3"), 0, 1e-7); /* tolerance 1e-8 of the scene over the arm of 0.05 */
    }
    assert_true(trial_value(&run, "E") < E0);
    assert_true(trial_value(&run, "E") > 0.5 * E0);
    trial_close(&run);
}

/* ---------------------------------------------------------------- rod on two supports
 * q = (x, y, phi), supports at +-C, H below the centre of mass: both slips are x_dot + H phi_dot, so the two friction
 * forces are redundant. On a slope of tangent tan(a) it sticks while tan(a) <= mu, else slides with g (sin a - mu cos
 * a). */
enum { SINE, COSINE };
static const double C = 0.5, H = 0.1, rod_inertia = 0.2, g = 9.81;

static void rod_mass(double t, const cx *q, cx *M, const double *p) {
    (void)t, (void)q, (void)p;
    M[0] = M[4] = 1;
    M[8] = rod_inertia;
}
static void rod_force(double t, const cx *q, const cx *u, cx *h, const double *p) {
    (void)t, (void)q, (void)u;
    h[0] = g * p[SINE], h[1] = -g * p[COSINE], h[2] = 0;
}
static void rod_gaps(double t, const cx *q, cx *gap, const double *p) {
    (void)t, (void)p;
    gap[0] = q[1] - C * csin(q[2]) - H * (ccos(q[2]) - 1);
    gap[1] = q[1] + C * csin(q[2]) - H * (ccos(q[2]) - 1);
}
static void rod_velocities(double t, const cx *q, const cx *u, cx *s, const double *p) {
    (void)t, (void)p;
    cx sine = csin(q[2]), cosine = ccos(q[2]);
    s[0] = u[1] + u[2] * (-C * cosine + H * sine);
    s[1] = u[1] + u[2] * (C * cosine + H * sine);
    s[2] = u[0] + u[2] * (C * sine + H * cosine);
    s[3] = u[0] + u[2] * (-C * sine + H * cosine);
}

static complex_mechanics rod_on_supports(const carom_model_contact *contact, const double *q0, const double *u0,
                                         const double *p) {
    return (complex_mechanics){.nq = 3,
                               .nu = 3,
                               .contacts = 2,
                               .contact = contact,
                               .q0 = q0,
                               .u0 = u0,
                               .parameter = p,
                               .mass = rod_mass,
                               .force = rod_force,
                               .position = rod_gaps,
                               .velocity = rod_velocities};
}

static void check_rod(double mu, double slope, double y0, const carom_integrator_info *integrator) {
    const double angle = atan(slope), p[] = {sin(angle), cos(angle)}, q0[] = {0, y0, 0}, u0[3] = {0};
    const carom_model_contact contact[2] = {{.name = "left", .slips = 1, .friction = mu},
                                            {.name = "right", .slips = 1, .friction = mu}};
    const complex_mechanics rod = rod_on_supports(contact, q0, u0, p);
    carom_model *model = complex_model(&rod);
    const double dt = 1e-3, T = 0.5, a = fmax(0, g * (p[SINE] - mu * p[COSINE]));
    trial run;
    if (!trial_offer(&run, model, integrator->name, dt, T, tolerance)) {
        carom_model_destroy(model);
        return;
    }
    while (!carom_sim_done(run.sim)) {
        trial_step(&run);
        const double *P = carom_sim_percussion(run.sim);
        for (int k = 0; k < 2; k++) {
            assert_at_least(P[k], -1e-13);
            assert_at_most(fabs(P[2 + k]), mu * P[k] + 1e-12);
        }
    }
    const double *q = carom_sim_q(run.sim), *u = carom_sim_u(run.sim), *P = carom_sim_percussion(run.sim);
    const double slack = velocity_slack(integrator, dt);
    assert_near(u[0], a * T, slack);
    assert_near(u[1], 0, slack);
    assert_near(u[2], 0, slack);
    assert_near(q[0], a / 2 * T * T, slack);
    assert_near(q[1], 0, slack * dt + round_off);
    assert_near(q[2], 0, slack * dt + round_off);
    if (slack == round_off) {
        /* Equilibrium of a step, friction acting H below the centre. */
        double F = slope < mu ? -g * p[SINE] * dt : -mu * g * p[COSINE] * dt;
        assert_near(P[0] + P[1], g * p[COSINE] * dt, 1e-11);
        assert_near(P[2] + P[3], F, 1e-11);
        assert_near(C * (P[1] - P[0]), -H * F, 1e-11);
    }
    trial_close(&run);
    carom_model_destroy(model);
}

static void rod_on_two_supports(void **state) {
    (void)state;
    static const double mu[] = {0.1, 0.3, 0.7, 1};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < carom_integrators(); k++) {
            check_rod(mu[i], 0.9 * mu[i], 0, carom_integrator(k));
            check_rod(mu[i], 1.1 * mu[i], 0, carom_integrator(k));
        }
    for (int k = 0; k < carom_integrators(); k++) /* dropped on both supports at once */
        if (carom_integrator(k)->promise.positions) check_rod(1, 0, 0.1, carom_integrator(k));
}

/* Equilibrium is a fixed point of the step where contacts act on position level: nothing creeps, whatever the
 * multipliers are. What a step leaves open is a velocity up to the tolerance: sticking holds no position, so x may move
 * by tolerance T and no more. Rows of W are 1.1 long; that both
 * supports rest to the tolerance leaves phi_dot below 2.2 times as much. */
static void equilibrium_stays(void **state) {
    (void)state;
    const double p[] = {sin(0.6), cos(0.6)}, q0[3] = {0}, u0[3] = {0};
    const carom_model_contact contact[2] = {{.name = "left", .slips = 1, .friction = 1},
                                            {.name = "right", .slips = 1, .friction = 1}};
    const complex_mechanics rod = rod_on_supports(contact, q0, u0, p);
    carom_model *model = complex_model(&rod);
    const double T = 100, close = 1e-14;
    for (int k = 0; k < carom_integrators(); k++) {
        trial run;
        if (!carom_integrator(k)->promise.positions) continue;
        if (!trial_offer(&run, model, carom_integrator(k)->name, 1e-2, T, close)) continue;
        trial_finish(&run);
        for (int i = 0; i < 3; i++) {
            assert_near(carom_sim_q(run.sim)[i], 0, 1.1 * close * T);
            assert_near(carom_sim_u(run.sim)[i], 0, 3 * close);
        }
        trial_close(&run);
    }
    carom_model_destroy(model);
}

/* ---------------------------------------------------------------- a box of elements
 * Its attitude is a quaternion, so what a step leaves of slips and angular velocities is not zero but round-off:
 * nothing that friction could take its direction from. On a slope of the angle a the box moves down with g max(0, sin a
 * - mu cos a) from rest; turning flat on a floor it loses the rate mu m g r/J, r being half a diagonal. */
enum { SCHEMES = 5 };
static const char *const schemes[SCHEMES] = {"rattle", "lobatto, stages: 2", "lobatto, stages: 3", "lobatto, stages: 4",
                                             "lobatto, stages: 5"};
static const double tol_default = 1e-10, edge[3] = {0.4, 0.3, 0.1}, box_weight = 3 * 9.81;

static trial body_box(const char *scheme, double slope, double mu, double spin, double dt, double until) {
    return trial_text("carom: 1\ntitle: box\nparameters: {a: %.17g}\nmodel:\n"
                      "  gravity: [-%.17g*sin(a), 0, -%.17g*cos(a)]\n"
                      "  bodies:\n    box: {type: spatial, mass: 3, shape: {box: [0.4, 0.3, 0.1]}, "
                      "position: [0, 0, 0.05], rotation: {axis: [0, 0, 1], angle: 0.3}, "
                      "angular_velocity: [0, 0, %.17g]}\n"
                      "  contacts:\n    c: {between: [box, {body: world, plane: [0, 0, 1]}], friction: %.17g}\n"
                      "run: {integrator: %s, dt: %.17g, until: %.17g}\n",
                      slope, gravity, gravity, spin, mu, scheme, dt, until);
}

/* Steps to the end. Friction of every step stays in its cone, to what the tolerance is as a percussion. */
static void finish_inside_cones(trial *run, double mu) {
    while (!carom_sim_done(run->sim)) {
        trial_step(run);
        for (int k = 1; k <= 8; k++) {
            char normal[16], first[16], second[16];
            snprintf(normal, sizeof normal, "c%d.PN", k);
            snprintf(first, sizeof first, "c%d.PF1", k);
            snprintf(second, sizeof second, "c%d.PF2", k);
            double PF = hypot(trial_value(run, first), trial_value(run, second));
            assert_at_most(PF, mu * trial_value(run, normal) + 3 * tol_default);
        }
    }
}

static void box_of_elements(void **state) {
    (void)state;
    const double a = 0.4, friction[] = {1.001 * tan(a), tan(a), 0.3}, dt[] = {1e-2, 5e-3};
    for (int s = 0; s < SCHEMES; s++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++) {
                trial run = body_box(schemes[s], a, friction[i], 0, dt[j], 1);
                finish_inside_cones(&run, friction[i]);
                double down = fmax(0, gravity * (sin(a) - friction[i] * cos(a)));
                /* each of up to 200 steps leaves a velocity of the tolerance, which acts for a second */
                assert_near(trial_value(&run, "box.x_dot"), -down, 200 * tol_default);
                assert_near(trial_value(&run, "box.x"), -down / 2, 200 * tol_default);
                assert_near(trial_value(&run, "box.y"), 0, 200 * tol_default);
                assert_near(trial_value(&run, "box.wz"), 0, 200 * tol_default / edge[1]);
                trial_close(&run);
            }
}

static void box_of_elements_turns(void **state) {
    (void)state;
    const double mu = 0.2, r = hypot(edge[0], edge[1]) / 2, J = 3 * 4 * r * r / 12, rate = mu * box_weight * r / J;
    const double dt[] = {1e-2, 5e-3};
    for (int s = 0; s < SCHEMES; s++)
        for (int j = 0; j < 2; j++) {
            trial run = body_box(schemes[s], 0, mu, 6, dt[j], 0.2);
            finish_inside_cones(&run, mu);
            /* slips turn with the box, by up to 6 dt in a step of order 2s-2 */
            double turned = pow(6 * dt[j], s < 2 ? 2 : 2 * s);
            assert_near(trial_value(&run, "box.wz"), 6 - rate * 0.2, 6 * turned + 40 * tol_default / edge[1]);
            trial_close(&run);
            run = body_box(schemes[s], 0, mu, 6, dt[j], 0.6); /* at rest from 0.26 s on */
            finish_inside_cones(&run, mu);
            assert_near(trial_value(&run, "box.wz"), 0, tol_default / edge[1]);
            assert_near(trial_value(&run, "box.x"), 0, 120 * tol_default);
            trial_close(&run);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_four_corners),
        cmocka_unit_test(box_of_elements),
        cmocka_unit_test(box_of_elements_turns),
        cmocka_unit_test(doubled_joint),
        cmocka_unit_test(slider_with_four_closed_corners),
        cmocka_unit_test(slider_with_four_closed_rubbing_corners),
        cmocka_unit_test(rod_on_two_supports),
        cmocka_unit_test(equilibrium_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
