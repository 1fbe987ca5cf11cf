// The bouncing ball of scenes/paper/moreau/ball.yaml by Siconos: Moreau-Jean scheme with theta = 1/2, which is Moreau's
// midpoint scheme, a complementarity problem per step. Prints microseconds per step and the final position.
// Usage: siconos_ball REPEATS.  Built by scripts/bench where Siconos is installed; no part of carom.
#include <SiconosKernel.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

static const double m = 0.1, g = 9.81, e = 0.75, dt = 1e-3, until = 4, q0 = 1;

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

// One run; returns seconds per step.
static double run(double *end) {
    SP::SiconosVector q(new SiconosVector(1)), v(new SiconosVector(1)), weight(new SiconosVector(1));
    (*q)(0) = q0;
    (*weight)(0) = -m * g;
    SP::SimpleMatrix M(new SimpleMatrix(1, 1)), H(new SimpleMatrix(1, 1));
    (*M)(0, 0) = m;
    (*H)(0, 0) = 1;
    SP::LagrangianLinearTIDS ball(new LagrangianLinearTIDS(q, v, M));
    ball->setFExtPtr(weight);

    SP::NonSmoothLaw law(new NewtonImpactNSL(e));
    SP::Interaction floor(new Interaction(law, SP::Relation(new LagrangianLinearTIR(H))));
    SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0, until));
    system->insertDynamicalSystem(ball);
    system->link(floor, ball);
    SP::TimeStepping sim(new TimeStepping(system, SP::TimeDiscretisation(new TimeDiscretisation(0, dt)),
                                          SP::OneStepIntegrator(new MoreauJeanOSI(0.5)),
                                          SP::OneStepNSProblem(new LCP())));

    long steps = 0;
    double start = seconds();
    for (; sim->hasNextEvent(); steps++) {
        sim->computeOneStep();
        sim->nextStep();
    }
    *end = (*ball->q())(0);
    return (seconds() - start) / steps;
}

int main(int argc, char **argv) {
    int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
    double best = 1e300, end = 0;
    for (int i = 0; i < repeats; i++) best = std::min(best, run(&end));
    std::printf("%.3f %.12g\n", 1e6 * best, end);
    return 0;
}
