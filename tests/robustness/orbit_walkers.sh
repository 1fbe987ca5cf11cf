#!/bin/bash
# carom orbit: what walks, and what a motor turns. Periods begin with sections; coordinates advance from one to the next.
. tests/robustness/support.bash
here=$PWD
cd "$scratch" || exit 1

# ---- a rimless wheel: with eta = (m l^2 cos(2 alpha) + J)/(m l^2 + J) and gravity along the slope the speed after a strike
# is w^2 = eta^2/(1 - eta^2) 4 m g l sin(alpha) sin(gamma)/(m l^2 + J); the multiplier is eta^2, a step 2 l sin(alpha) long.
# Where the spoke is normal to the slope, w^2 has fallen by 2 m g l (cos(gamma) - cos(alpha - gamma))/(m l^2 + J).
wheel=("$carom" orbit "$here/scenes/gallery/rimless_wheel.yaml" --section "sin(pi/2*phi/alpha)" --modulo "x, phi=2*alpha" --after 4)
expect 0 "" "${wheel[@]}"
awk '/^x advances/ { step = $4 } /^ *phi_dot/ { w = $2 } /^multiplier/ { n++; m = $2 } /^period/ { events = $7 }
    END { pi = atan2(0, -1); a = pi/8; gamma = 0.08; g = 9.81; I = 1.5; eta = (cos(2*a) + 0.5)/I
          want = sqrt(eta^2/(1 - eta^2)*4*g*sin(a)*sin(gamma)/I - 2*g*(cos(gamma) - cos(a - gamma))/I)
          printf "rimless wheel: multiplier off by %.1e, speed by %.1e, step by %.1e\n", m - eta^2, w - want, step - 2*sin(a)
          exit !(n == 1 && events == 1 && (m - eta^2)^2 < 1e-18 && (w - want)^2 < 1e-18 && (step - 2*sin(a))^2 < 1e-18) }' stdout ||
    wrong "the rimless wheel: $(cat stdout)"
# Steeper slopes: the multiplier stays.
expect 0 "" "${wheel[@]}" --continue gamma=0.08..0.12 --csv wheel.csv --doublings 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { eta = (cos(atan2(0, -1)/4) + 0.5)/1.5; miss = $at["multiplier1.re"] - eta^2; if (miss^2 > 1e-18) bad++; n++ }
    END { exit bad || n < 10 }' wheel.csv || wrong "the multiplier of the wheel changes with the slope"


# ---- a compass walker: the same two legs integrated on their own
cat >walker.awk <<'PROGRAM'
# A compass walker on its own: angles s, n of the leg that stands and of the one that swings, from the vertical; steps of
# Runge and Kutta, strikes by bisection. Prints the time of two steps, their length, and the sums of products of
# multipliers of two steps, by differences.
function rates(x, f,   M11, M12, M22, c, k, r1, r2, det) {
    k = m*l*b; c = cos(x[1] - x[2])
    M11 = (mH + m)*l*l + m*a*a; M12 = -k*c; M22 = m*b*b
    r1 = k*sin(x[1] - x[2])*x[4]^2 + g*(m*a + mH*l + m*l)*sin(x[1])
    r2 = -k*sin(x[1] - x[2])*x[3]^2 - m*g*b*sin(x[2])
    det = M11*M22 - M12*M12
    f[1] = x[3]; f[2] = x[4]; f[3] = (M22*r1 - M12*r2)/det; f[4] = (M11*r2 - M12*r1)/det
}
function step(x, h, y,   i, k1, k2, k3, k4, z) {
    rates(x, k1); for (i = 1; i <= 4; i++) z[i] = x[i] + h/2*k1[i]
    rates(z, k2); for (i = 1; i <= 4; i++) z[i] = x[i] + h/2*k2[i]
    rates(z, k3); for (i = 1; i <= 4; i++) z[i] = x[i] + h*k3[i]
    rates(z, k4); for (i = 1; i <= 4; i++) y[i] = x[i] + h/6*(k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
}
# Angular momenta for the velocities of the leg p that stood, and of q: of all about the new foot, of the old leg about the hip.
function momenta(p, q, vp, vq, new,   hx, hy, ux, uy, vx, vy, wx, wy) {
    if (new) { ux = -l*cos(q)*vq; uy = -l*sin(q)*vq; vx = ux + b*cos(p)*vp; vy = uy + b*sin(p)*vp; wx = -a*cos(q)*vq; wy = -a*sin(q)*vq }
    else { ux = -l*cos(p)*vp; uy = -l*sin(p)*vp; vx = -a*cos(p)*vp; vy = -a*sin(p)*vp; wx = ux + b*cos(q)*vq; wy = uy + b*sin(q)*vq }
    hx = -l*sin(q); hy = l*cos(q)
    L1 = mH*(hx*uy - hy*ux) + m*((hx + b*sin(p))*vy - (hy - b*cos(p))*vx) + m*(-a*sin(q)*wy - a*cos(q)*wx)
    L2 = m*(b*sin(p)*vy + b*cos(p)*vx)
}
# One step from the state (A, s_dot, n_dot) after a strike to that after the next one; its time.
function walk(P,   x, y, t, h, f, low, high, i, m1, m2, a11, a21, a12, a22, det) {
    x[1] = P[1] - gamma; x[2] = -P[1] - gamma; x[3] = P[2]; x[4] = P[3]; h = 1e-3
    for (t = 0; t < 2; t += h) {
        step(x, h, y)
        if (y[2] > y[1] + 0.3 && y[1] + y[2] + 2*gamma <= 0 && x[1] + x[2] + 2*gamma > 0) break
        for (i = 1; i <= 4; i++) x[i] = y[i]
    }
    low = 0; high = h
    for (i = 0; i < 60; i++) { step(x, (low + high)/2, y); if (y[1] + y[2] + 2*gamma > 0) low = (low + high)/2; else high = (low + high)/2 }
    momenta(y[1], y[2], y[3], y[4], 0); m1 = L1; m2 = L2
    momenta(y[1], y[2], 1, 0, 1); a11 = L1; a21 = L2
    momenta(y[1], y[2], 0, 1, 1); a12 = L1; a22 = L2
    det = a11*a22 - a12*a21
    P[1] = y[2] + gamma; P[3] = (m1*a22 - a12*m2)/det; P[2] = (a11*m2 - a21*m1)/det
    return t + (low + high)/2
}
BEGIN {
    m = 5; mH = 10; a = b = 0.5; l = 1; g = 9.81; gamma = 0.0525
    P[1] = 0.2712; P[2] = -1.0918; P[3] = -0.3772
    for (i = 0; i < 45; i++) T = walk(P)
    for (k = 1; k <= 3; k++) {
        for (side = -1; side <= 1; side += 2) {
            for (i = 1; i <= 3; i++) Q[i] = P[i]
            Q[k] += side*1e-5; walk(Q)
            for (i = 1; i <= 3; i++) J[i, k] += side*Q[i]/2e-5
        }
    }
    for (i = 1; i <= 3; i++) for (k = 1; k <= 3; k++) for (j = 1; j <= 3; j++) K[i, k] += J[i, j]*J[j, k]
    e1 = K[1,1] + K[2,2] + K[3,3]
    e2 = K[1,1]*K[2,2] - K[1,2]*K[2,1] + K[1,1]*K[3,3] - K[1,3]*K[3,1] + K[2,2]*K[3,3] - K[2,3]*K[3,2]
    e3 = K[1,1]*(K[2,2]*K[3,3] - K[2,3]*K[3,2]) - K[1,2]*(K[2,1]*K[3,3] - K[2,3]*K[3,1]) + K[1,3]*(K[2,1]*K[3,2] - K[2,2]*K[3,1])
    printf "%.12g %.12g %.12g %.12g %.12g\n", 2*T, 4*l*sin(P[1]), e1, e2, e3
}
PROGRAM
expect 0 "" "$carom" orbit "$here/scenes/gallery/compass_walker.yaml" --section a1 --modulo x --after 3
awk -v on_its_own="$(awk -f walker.awk)" '/^period/ { T = $2; events = $7 } /^x advances/ { way = $4 }
    /^multiplier/ { n++; re[n] = $2; im[n] = $3 == "+" ? $4 : $3 == "-" ? -$4 : 0 }
    END { split(on_its_own, want, " ")
          e1 = re[1] + re[2] + re[3]; e2 = re[1]*re[2] - im[1]*im[2] + (re[1] + re[2])*re[3]; e3 = (re[1]*re[2] - im[1]*im[2])*re[3]
          printf "compass walker: two steps of %.10g in %.10g; off by %.1e, %.1e, multipliers by %.1e, %.1e, %.1e\n", way, T, T - want[1], way - want[2], e1 - want[3], e2 - want[4], e3 - want[5]
          exit !(n == 3 && events == 2 && (T - want[1])^2 < 1e-18 && (way - want[2])^2 < 1e-18 && (e1 - want[3])^2 < 1e-12 && (e2 - want[4])^2 < 1e-12 && (e3 - want[5])^2 < 1e-12) }' stdout ||
    wrong "the compass walker: $(cat stdout)"

# ---- a slider-crank with a motor: bodies and joints, and the angle of the crank alone
cat >crank.yaml <<'SCENE'
carom: 1
parameters: {l1: 0.153, l2: 0.306, m1: 0.038, m2: 0.038, m3: 0.076, omega: 150, c: 0.01}
model:
  coordinates: {phi: {start: 0, velocity: omega}}
  define: {s: l1/l2*sin(phi), r: sqrt(1 - s^2), beta_dot: l1/l2*cos(phi)*phi_dot/r,
           v2x: -l1*sin(phi)*phi_dot - l2/2*s*beta_dot, v2y: l1/2*cos(phi)*phi_dot, v3: -l1*sin(phi)*phi_dot - l2*s*beta_dot}
  kinetic: (m1*l1^2/4 + 7.4e-5)/2*phi_dot^2 + m2/2*(v2x^2 + v2y^2) + 5.9e-4/2*beta_dot^2 + m3/2*v3^2
  potential: 9.81*(m1*l1/2 + m2*l1/2)*sin(phi)
  forces: {phi: c*(omega - phi_dot)}
run: {integrator: lobatto, stages: 5, dt: 2e-4, until: 2, tolerance: 1e-13}
SCENE
expect 0 "" "$carom" orbit crank.yaml --section "sin(phi)" --modulo "phi=2*pi" --after 1.5
awk '/^period/ { print $2 } /^multiplier/ { print $2 }' stdout >angle
expect 0 "" "$carom" orbit "$here/scenes/gallery/crank_motor.yaml" --section "sin(crank.phi)" --modulo "crank.phi=2*pi" --after 1.5 --set run.stages=5 --set run.dt=2e-4
awk '/^period/ { print $2 } /^multiplier/ { print $2 }' stdout >bodies
paste angle bodies | awk '{ miss = $1 - $2; printf "crank: %.10g, off by %.1e\n", $1, miss; if (miss^2 > 1e-18) bad++ } END { exit bad || NR != 2 }' ||
    wrong "slider-crank with a motor: $(cat stdout)"
finish
