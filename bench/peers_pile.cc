// The piles of bench/piles.c in ODE (-DWITH_ODE) and in Bullet (-DWITH_BULLET), with their own settings: quick steps of
// 20 sweeps, sequential impulses of 10. Nothing is put to sleep. scripts/bench piles compiles it where they are
// installed.
//   peers_pile spheres|packed|dice|wall [MOST [SETTLING [RESTING]]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

static const double dt = 1e-3;
struct shape {
    const char *name;
    int first, most;
    double mu, size[3]; // of spheres the diameter
    bool box, stands;   // stands: a wall on a floor; the others fall into a box
    double wide, per_side;
    bool packed;
};
static const shape shapes[] = {{"spheres", 300, 10000, 0.3, {0.1, 0.1, 0.1}, false, false, 0.105, 0.5},
                               {"packed", 300, 10000, 0.3, {0.1, 0.1, 0.1}, false, false, 0.1002, 0.7, true},
                               {"dice", 100, 1000, 0.5, {0.05, 0.05, 0.05}, true, false, 0.08, 1},
                               {"wall", 100, 3000, 0.6, {0.2, 0.1, 0.1}, true, true, 0, 0}};

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct place {
    double x[3], axis[3], angle;
};

// Sphere i of n, layers of k^2 and of (k-1)^2 by turns: those of the first kind come first.
static place packed_place(const shape &s, int i, int n, int k) {
    const int pair = k * k + (k - 1) * (k - 1), rest = n % pair, large = k * k * (n / pair) + (rest < k * k ? rest : k * k);
    const bool small = i > large;
    const int of = (small ? i - large : i) - 1, m = small ? k - 1 : k, layer = of / (m * m), row = of / m - m * layer;
    const double height = sqrt(s.size[0] * s.size[0] - s.wide * s.wide / 2), half = small ? 1 : 0.5;
    return {{s.wide * (of % m + half), s.wide * (row + half), s.size[0] / 2 + height * (2 * layer + small)}, {0, 0, 1}, 0};
}

// Body i of n, k along a side.
static place place_of(const shape &s, int i, int n, int k) {
    if (s.packed) return packed_place(s, i, n, k);
    const int layer = (i - 1) / (k * k), row = (i - 1) / k - k * layer, column = (i - 1) % k;
    const double a = s.size[0];
    if (s.stands) {
        const int course = (i - 1) / k;
        return {{1.0005 * a * (column + 1 + 0.5 * (course % 2)), 0, s.size[2] * (course + 0.5)}, {0, 0, 1}, 0};
    }
    if (s.box)
        return {{1.6 * a * (column + 0.5), 1.6 * a * (row + 0.5), 1.6 * a * (layer + 0.6)},
                {1, sin(1.0 * i), cos(3.0 * i)},
                0.4 * sin(7.0 * i)};
    return {{s.wide * (column + 0.5 + 0.02 * sin(7.0 * i)), s.wide * (row + 0.5 + 0.02 * sin(5.0 * i)),
             1.01 * a * (layer + 0.5)},
            {0, 0, 1},
            0};
}

// The floor, and the sides of the box: normals and distances from the origin.
static int planes_of(const shape &s, int k, double plane[5][4]) {
    const double d = s.wide * k, all[5][4] = {{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {-1, 0, 0, -d}, {0, -1, 0, -d}};
    memcpy(plane, all, sizeof all);
    return s.stands ? 1 : 5;
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
    double mu, deepest = 0;
    static const char *name() { return "ODE"; }
    pile(const shape &s, int n, int k) : mu(s.mu) {
        double plane[5][4];
        dInitODE();
        world = dWorldCreate(), space = dHashSpaceCreate(nullptr), group = dJointGroupCreate(0);
        dWorldSetGravity(world, 0, 0, -9.81);
        for (int i = planes_of(s, k, plane) - 1; i >= 0; i--)
            dCreatePlane(space, plane[i][0], plane[i][1], plane[i][2], plane[i][3]);
        for (int i = 0; i < n; i++) {
            const place at = place_of(s, i + 1, n, k);
            dMass m;
            dQuaternion p;
            body.push_back(dBodyCreate(world));
            if (s.box) dMassSetBoxTotal(&m, 1, s.size[0], s.size[1], s.size[2]);
            else dMassSetSphereTotal(&m, 1, s.size[0] / 2);
            dBodySetMass(body[i], &m);
            dBodySetPosition(body[i], at.x[0], at.x[1], at.x[2]);
            dQFromAxisAndAngle(p, at.axis[0], at.axis[1], at.axis[2], at.angle);
            dBodySetQuaternion(body[i], p);
            dGeomSetBody(s.box ? dCreateBox(space, s.size[0], s.size[1], s.size[2])
                               : dCreateSphere(space, s.size[0] / 2),
                         body[i]);
        }
    }
    static void meet(void *self, dGeomID a, dGeomID b) {
        enum { MOST = 8 };
        pile *p = static_cast<pile *>(self);
        dContact c[MOST] = {};
        if (!dGeomGetBody(a) && !dGeomGetBody(b)) return;
        for (int i = dCollide(a, b, MOST, &c[0].geom, sizeof *c) - 1; i >= 0; i--) {
            c[i].surface.mu = p->mu, c[i].surface.mode = dContactApprox1;
            p->contacts++, p->deepest = fmin(p->deepest, -c[i].geom.depth);
            dJointAttach(dJointCreateContact(p->world, p->group, &c[i]), dGeomGetBody(a), dGeomGetBody(b));
        }
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
    double mu;
    std::vector<btRigidBody *> body;
    static const char *name() { return "Bullet"; }
    btRigidBody *add(double mass, btCollisionShape *shape, const place &p) {
        const btVector3 axis((btScalar)p.axis[0], (btScalar)p.axis[1], (btScalar)p.axis[2]);
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape->calculateLocalInertia((btScalar)mass, inertia);
        btTransform at(btQuaternion(axis, (btScalar)p.angle),
                       btVector3((btScalar)p.x[0], (btScalar)p.x[1], (btScalar)p.x[2]));
        btRigidBody *b = new btRigidBody((btScalar)mass, new btDefaultMotionState(at), shape, inertia);
        b->setFriction((btScalar)sqrt(mu)); // of two bodies it is the product
        b->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(b);
        return b;
    }
    pile(const shape &s, int n, int k) : mu(s.mu) {
        double plane[5][4];
        world.setGravity(btVector3(0, 0, (btScalar)-9.81));
        for (int i = planes_of(s, k, plane) - 1; i >= 0; i--) {
            const btVector3 normal((btScalar)plane[i][0], (btScalar)plane[i][1], (btScalar)plane[i][2]);
            add(0, new btStaticPlaneShape(normal, (btScalar)plane[i][3]), {{0, 0, 0}, {0, 0, 1}, 0});
        }
        const btVector3 half((btScalar)(s.size[0] / 2), (btScalar)(s.size[1] / 2), (btScalar)(s.size[2] / 2));
        btCollisionShape *const of = s.box ? static_cast<btCollisionShape *>(new btBoxShape(half))
                                           : new btSphereShape((btScalar)(s.size[0] / 2));
        for (int i = 0; i < n; i++) body.push_back(add(1, of, place_of(s, i + 1, n, k)));
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
    double cost, contacts, deepest, motion;
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
    return {1e6 * spent / steps / (contacts / looks), contacts / looks, deepest, sqrt(p.look().motion)};
}

int main(int count, char **argument) {
    const shape *s = &shapes[0];
    for (const shape &of : shapes)
        if (count > 1 && strcmp(argument[1], of.name) == 0) s = &of;
    const int most = count > 2 ? atoi(argument[2]) : s->most, settling = count > 3 ? atoi(argument[3]) : 300;
    const int resting = count > 4 ? atoi(argument[4]) : 500;
    for (int n = s->first, third = n == 300; n <= most; n = third ? n / 3 * 10 : 3 * n, third = !third) {
        pile p(*s, n, (int)fmax(2, round(s->stands ? sqrt(1.6 * n) : cbrt(n * s->per_side))));
        const phase settles = take_steps(p, settling);
        phase rests = {};
        double deepest = settles.deepest;
        int steps = 0;
        for (; steps == 0 || (steps < resting && rests.motion >= 1e-3); steps += 50) {
            rests = take_steps(p, 50);
            deepest = fmin(deepest, rests.deepest);
        }
        printf(
            "%7s %7d: settle %6.2f us of %7.0f contacts; end %6.2f us of %7.0f, at %5.2f s, %8.1e m/s, %s; deepest %8.1e m\n",
            pile::name(), n, settles.cost, settles.contacts, rests.cost, rests.contacts, dt * (settling + steps),
            rests.motion, rests.motion < 1e-3 ? "at rest" : "not at rest", deepest);
        fflush(stdout);
    }
    return 0;
}
