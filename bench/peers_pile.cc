// The pile of bench/piles.c in ODE (-DWITH_ODE) and in Bullet (-DWITH_BULLET), with their own settings: quick steps of 20
// sweeps, sequential impulses of 10. Nothing is put to sleep. scripts/bench piles compiles it where they are installed.
//   peers_pile MOST SETTLING RESTING
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

static const double R = 0.05, mu = 0.3, dt = 1e-3;

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void place(int number, int k, double x[3]) {
    const int i = number + 1, layer = (i - 1) / (k * k), row = (i - 1) / k - k * layer, column = (i - 1) % k;
    x[0] = 2.1 * R * (column + 0.5 + 0.02 * sin(7.0 * i));
    x[1] = 2.1 * R * (row + 0.5 + 0.02 * sin(5.0 * i));
    x[2] = 2.02 * R * (layer + 0.5);
}

struct state {
    double pressing, deepest, motion; // contacts, the smallest gap, mean square of velocities
};

#ifdef WITH_ODE
#include <ode/ode.h>
struct pile {
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    std::vector<dBodyID> body;
    int contacts = 0;
    double deepest = 0;
    static const char *name() { return "ODE"; }
    explicit pile(int n, int k) {
        dInitODE();
        world = dWorldCreate(), space = dHashSpaceCreate(nullptr), group = dJointGroupCreate(0);
        dWorldSetGravity(world, 0, 0, -9.81);
        const double planes[][4] = {
            {0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {-1, 0, 0, -2.1 * R * k}, {0, -1, 0, -2.1 * R * k}};
        for (auto &p : planes) dCreatePlane(space, p[0], p[1], p[2], p[3]);
        for (int i = 0; i < n; i++) {
            double x[3];
            dMass m;
            place(i, k, x);
            body.push_back(dBodyCreate(world));
            dMassSetSphereTotal(&m, 1, R);
            dBodySetMass(body[i], &m);
            dBodySetPosition(body[i], x[0], x[1], x[2]);
            dGeomSetBody(dCreateSphere(space, R), body[i]);
        }
    }
    static void meet(void *self, dGeomID a, dGeomID b) {
        pile *p = static_cast<pile *>(self);
        dContact c = {};
        c.surface.mu = mu;
        c.surface.mode = dContactApprox1;
        if ((!dGeomGetBody(a) && !dGeomGetBody(b)) || dCollide(a, b, 1, &c.geom, sizeof c) == 0) return;
        p->contacts++, p->deepest = fmin(p->deepest, -c.geom.depth);
        dJointAttach(dJointCreateContact(p->world, p->group, &c), dGeomGetBody(a), dGeomGetBody(b));
    }
    void step() {
        contacts = 0, deepest = 0;
        dSpaceCollide(space, this, meet);
        dWorldQuickStep(world, dt);
        dJointGroupEmpty(group);
    }
    state look() {
        double sum = 0;
        for (auto b : body)
            for (int i = 0; i < 3; i++) sum += dBodyGetLinearVel(b)[i] * dBodyGetLinearVel(b)[i];
        return {(double)contacts, deepest, sum / (double)body.size()};
    }
};
#else
#include <btBulletDynamicsCommon.h>
struct pile {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape sphere{(btScalar)R};
    std::vector<btRigidBody *> body;
    static const char *name() { return "Bullet"; }
    btRigidBody *add(double mass, btCollisionShape *shape, double x, double y, double z) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape->calculateLocalInertia((btScalar)mass, inertia);
        btTransform at(btQuaternion::getIdentity(), btVector3((btScalar)x, (btScalar)y, (btScalar)z));
        btRigidBody *b = new btRigidBody((btScalar)mass, new btDefaultMotionState(at), shape, inertia);
        b->setFriction((btScalar)sqrt(mu)); // of two bodies it is the product
        b->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(b);
        return b;
    }
    explicit pile(int n, int k) {
        world.setGravity(btVector3(0, 0, (btScalar)-9.81));
        const double planes[][4] = {
            {0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {-1, 0, 0, -2.1 * R * k}, {0, -1, 0, -2.1 * R * k}};
        for (auto &p : planes) {
            const btVector3 normal((btScalar)p[0], (btScalar)p[1], (btScalar)p[2]);
            add(0, new btStaticPlaneShape(normal, (btScalar)p[3]), 0, 0, 0);
        }
        for (int i = 0; i < n; i++) {
            double x[3];
            place(i, k, x);
            body.push_back(add(1, &sphere, x[0], x[1], x[2]));
        }
    }
    void step() { world.stepSimulation((btScalar)dt, 0); }
    state look() {
        state s = {0, 0, 0};
        for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
            const btPersistentManifold *m = dispatcher.getManifoldByIndexInternal(i);
            for (int j = 0; j < m->getNumContacts(); j++) {
                s.pressing += m->getContactPoint(j).getAppliedImpulse() > 0;
                s.deepest = fmin(s.deepest, m->getContactPoint(j).getDistance());
            }
        }
        for (auto b : body) s.motion += b->getLinearVelocity().length2() / (double)body.size();
        return s;
    }
};
#endif

struct phase {
    double cost, deepest, motion;
};

static phase take_steps(pile &p, int steps) {
    double spent = 0, contacts = 0, looks = 0, deepest = 0;
    for (int i = 0; i < steps; i++) {
        const double begin = seconds();
        p.step();
        spent += seconds() - begin;
        if (i % 10) continue;
        const state now = p.look();
        contacts += now.pressing, deepest = fmin(deepest, now.deepest), looks++;
    }
    return {1e6 * spent / steps / (contacts / looks), deepest, sqrt(p.look().motion)};
}

int main(int count, char **argument) {
    const int most = count > 1 ? atoi(argument[1]) : 10000, settling = count > 2 ? atoi(argument[2]) : 300;
    const int resting = count > 3 ? atoi(argument[3]) : 500;
    for (int n = 300, third = 1; n <= most; n = third ? n / 3 * 10 : 3 * n, third = !third) {
        pile p(n, (int)fmax(2, round(cbrt(n / 2.0))));
        const phase settles = take_steps(p, settling);
        take_steps(p, resting > 50 ? resting - 50 : 1);
        const phase rests = take_steps(p, 50);
        printf("%7s %7d: settle %6.2f us, rest %6.2f us, deepest at rest %8.1e m, residual motion %8.1e m/s\n",
               pile::name(), n, settles.cost, rests.cost, rests.deepest, rests.motion);
        fflush(stdout);
    }
    return 0;
}
