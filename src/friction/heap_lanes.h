/* What heap_sweep.c does several contacts at a time. It is included once for every set of registers, with LANED(name)
 * for the names of its functions, LANED_INLINE and LANED_ALONE before them, and WIDE, how many numbers a register has:
 * a compiler takes vectors apart where it sees a function. A block is taken in LANES / WIDE pieces, each from its lane
 * `at` on. */

typedef double LANED(vec) __attribute__((vector_size(8 * WIDE), may_alias));
typedef long long LANED(bits) __attribute__((vector_size(8 * WIDE), may_alias));
#define vec LANED(vec)
#define LANE(x) (*(vec *)((x) + at))
#define LANE_3(x)                                                                                                      \
    { LANE((x)[0]), LANE((x)[1]), LANE((x)[2]) }
#define CHOOSE(when, x, y) ((vec)(((when) & (LANED(bits))(x)) | (~(when) & (LANED(bits))(y))))

/* ---------------------------------------------------------------- bodies of a block */

#if WIDE == 8
/* Rows of eight become columns, by three rounds of pairs. */
LANED_INLINE void LANED(transpose)(vec x[8]) {
    vec y[8];
    for (int i = 0; i < 8; i += 2) {
        y[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        y[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = i; k < i + 2; k++) {
            x[k] = __builtin_shufflevector(y[k], y[k + 2], 0, 1, 4, 5, 8, 9, 12, 13);
            x[k + 2] = __builtin_shufflevector(y[k], y[k + 2], 2, 3, 6, 7, 10, 11, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        y[k] = __builtin_shufflevector(x[k], x[k + 4], 0, 1, 4, 5, 8, 9, 12, 13);
        y[k + 4] = __builtin_shufflevector(x[k], x[k + 4], 2, 3, 6, 7, 10, 11, 14, 15);
    }
    for (int k = 0; k < 8; k++) x[k] = y[k];
}

/* Of eight bodies: v and 1/m, w and 1/J. */
LANED_INLINE void LANED(load)(const heap_body *body, const int *of, vec x[8]) {
    for (int l = 0; l < WIDE; l++) x[l] = *(const vec *)body[of[l]].v;
    LANED(transpose)(x);
}

LANED_INLINE void LANED(store)(heap_body *body, const int *of, vec x[8]) {
    LANED(transpose)(x);
    for (int l = 0; l < WIDE; l++) *(vec *)body[of[l]].v = x[l];
}
#else
LANED_INLINE void LANED(transpose)(vec x[4]) {
    const vec a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const vec c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Of four bodies: v and 1/m, w and 1/J. */
LANED_INLINE void LANED(load)(const heap_body *body, const int *of, vec x[8]) {
    for (int l = 0; l < WIDE; l++) x[l] = *(const vec *)body[of[l]].v, x[4 + l] = *(const vec *)body[of[l]].w;
    LANED(transpose)(x), LANED(transpose)(x + 4);
}

LANED_INLINE void LANED(store)(heap_body *body, const int *of, vec x[8]) {
    LANED(transpose)(x), LANED(transpose)(x + 4);
    for (int l = 0; l < WIDE; l++) *(vec *)body[of[l]].v = x[l], *(vec *)body[of[l]].w = x[4 + l];
}
#endif

/* (FC14), of bodies a and b; y: NULL where bodies are round, and l lies along n. */
LANED_INLINE HEAP_ALWAYS void LANED(velocity)(const heap_block *x, const heap_arms *y, int at, const vec n[3],
                                              const vec a[8], const vec b[8], vec u[3]) {
    vec w[3];
    for (int i = 0; i < 3 && !y; i++) w[i] = LANE(x->arm[0]) * a[4 + i] + LANE(x->arm[1]) * b[4 + i];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const vec turn = y ? (b[4 + j] * LANE(y->l[1][k]) - b[4 + k] * LANE(y->l[1][j])) -
                                 (a[4 + j] * LANE(y->l[0][k]) - a[4 + k] * LANE(y->l[0][j]))
                           : w[j] * n[k] - w[k] * n[j];
        u[i] = a[i] - b[i] - turn + LANE(x->d[i]);
    }
}

/* The factor that cuts a vector to a length: most/|x| where that is below 1. */
LANED_INLINE void LANED(cut)(const vec *square, const vec *most, vec *part) {
    vec length;
    for (int l = 0; l < WIDE; l++) length[l] = sqrt((*square)[l]);
    const LANED(bits) outside = *square > *most * *most;
    *part = CHOOSE(outside, *most / length, (vec){0} + 1);
}

/* ---------------------------------------------------------------- errors */

/* Natural maps of both laws, w + prox_C(u - w) with w = A p: squares, and those of w (FC11). */
LANED_INLINE HEAP_ALWAYS void LANED(add_error)(const heap *h, const heap_block *x, const heap_arms *y, int at,
                                               law_error *sum) {
    vec a[8], b[8], u[3], w[3], onto[3];
    const vec n[] = LANE_3(x->n), p[] = LANE_3(x->p), zero = {0};
    LANED(load)(h->body, x->a + at, a), LANED(load)(h->body, x->b + at, b);
    LANED(velocity)(x, y, at, n, a, b, u);
    const vec uN = DOT(n, u), pN = DOT(n, p), wN = LANE(x->own[0]) * pN;
    const vec radius = CHOOSE(pN > zero, LANE(x->own[1]) * LANE(x->mu) * pN, zero), least = CHOOSE(wN < uN, wN, uN);
    for (int i = 0; i < 3; i++) {
        w[i] = LANE(x->own[1]) * (p[i] - pN * n[i]);
        onto[i] = w[i] - (u[i] - uN * n[i]);
    }
    const vec square = DOT(onto, onto);
    vec part, friction = zero;
    LANED(cut)(&square, &radius, &part);
    for (int i = 0; i < 3; i++) {
        const vec e = w[i] - part * onto[i];
        friction += e * e;
    }
    const vec normal = least * least, larger = CHOOSE(normal > friction, normal, friction), worst = LANE(sum->worst);
    const vec sinks = -LANE(x->narrow) * least, sunk = LANE(sum->sunk);
    LANE(sum->worst) = CHOOSE(larger > worst, larger, worst);
    LANE(sum->sunk) = CHOOSE(sinks > sunk, sinks, sunk);
    LANE(sum->missed) += normal + friction;
    LANE(sum->size) += wN * wN + DOT(w, w) + LANE(x->scale) * LANE(x->scale);
}

LANED_INLINE void LANED(measure)(heap *h) {
    THREADS_DIVIDE
    for (int k = 0; k < h->parts; k++) {
        law_error sum = {0};
        for (int i = h->part[k].first; i < h->part[k].end; i++) {
            heap_fetch_next(&h->block[i]);
            for (int at = 0; at < h->block[i].end; at += WIDE)
                if (h->turn) LANED(add_error)(h, &h->block[i], &h->arms[i], at, &sum);
                else LANED(add_error)(h, &h->block[i], NULL, at, &sum);
        }
        h->part[k].error = sum;
    }
}

/* ---------------------------------------------------------------- sweeps */

/* (FC15) from percussions `from` with the velocity u. */
LANED_INLINE void LANED(solve_round)(const heap_block *x, int at, const vec n[3], const vec from[3], const vec u[3],
                                     vec p[3]) {
    vec across[3], part;
    const vec uN = DOT(n, u), fromN = DOT(n, from), press = fromN - LANE(x->give[0]) * uN, zero = {0};
    const vec pN = CHOOSE(press > zero, press, zero), most = LANE(x->mu) * pN;
    for (int i = 0; i < 3; i++) across[i] = from[i] - fromN * n[i] - LANE(x->give[1]) * (u[i] - uN * n[i]);
    const vec square = DOT(across, across);
    LANED(cut)(&square, &most, &part);
    for (int i = 0; i < 3; i++) p[i] = pN * n[i] + part * across[i];
}

/* x -> S x with the six entries of S */
LANED_INLINE void LANED(times)(const double S[6][LANES], int at, const vec x[3], vec y[3]) {
    const vec S0 = LANE(S[0]), S1 = LANE(S[1]), S2 = LANE(S[2]), S3 = LANE(S[3]), S4 = LANE(S[4]), S5 = LANE(S[5]);
    y[0] = S0 * x[0] + S5 * x[1] + S4 * x[2];
    y[1] = S5 * x[0] + S1 * x[1] + S3 * x[2];
    y[2] = S4 * x[0] + S3 * x[1] + S2 * x[2];
}

/* One after the other, twice: the normal part with the friction there is, and friction with that. */
LANED_INLINE void LANED(slip)(const heap_block *x, const heap_arms *y, int at, const vec n[3], const vec from[3],
                              const vec u[3], vec p[3]) {
    vec v[3] = {u[0], u[1], u[2]}, step[3], more[3], across[3], part;
    const vec zero = {0}, along[] = LANE_3(y->along);
    for (int i = 0; i < 3; i++) p[i] = from[i];
    for (int round = 0; round < 2; round++) {
        const vec lastN = DOT(n, p), press = lastN - LANE(x->give[0]) * DOT(n, v);
        const vec pN = CHOOSE(press > zero, press, zero), most = LANE(x->mu) * pN, stepN = pN - lastN;
        for (int i = 0; i < 3; i++) v[i] += stepN * along[i];
        const vec vN = DOT(n, v);
        for (int i = 0; i < 3; i++) across[i] = p[i] - lastN * n[i] - LANE(y->slide) * (v[i] - vN * n[i]);
        const vec square = DOT(across, across);
        LANED(cut)(&square, &most, &part);
        for (int i = 0; i < 3; i++) {
            const vec next = pN * n[i] + part * across[i];
            step[i] = next - p[i] - stepN * n[i], p[i] = next;
        }
        if (round == 1) return;
        LANED(times)(y->A, at, step, more);
        for (int i = 0; i < 3; i++) v[i] += more[i];
    }
}

/* It opens if it does without percussion; it sticks if that lies in the cone; else it slips (FC18). */
LANED_INLINE void LANED(solve_any)(const heap_block *x, const heap_arms *y, int at, const vec n[3], const vec from[3],
                                   const vec u[3], vec p[3]) {
    vec step[3], across[3], slipping[3];
    const vec zero = {0}, along[] = LANE_3(y->along);
    LANED(times)(y->inverse, at, u, step);
    for (int i = 0; i < 3; i++) p[i] = from[i] - step[i];
    const vec pN = DOT(n, p), most = LANE(x->mu) * pN;
    for (int i = 0; i < 3; i++) across[i] = p[i] - pN * n[i];
    const LANED(bits) opens = DOT(n, u) - DOT(along, from) >= zero;
    const LANED(bits) sticks = (pN > zero) & (DOT(across, across) <= most * most), decided = opens | sticks;
    bool all = true;
    for (int l = 0; l < WIDE; l++) all = all && decided[l];
    for (int i = 0; i < 3; i++) slipping[i] = zero;
    if (!all) LANED(slip)(x, y, at, n, from, u, slipping);
    for (int i = 0; i < 3; i++) p[i] = CHOOSE(opens, zero, CHOOSE(sticks, p[i], slipping[i]));
}

/* One contact solved, from percussions that go on by beta times their last change. */
LANED_INLINE HEAP_ALWAYS void LANED(solve_block)(heap_body *body, heap_block *x, const heap_arms *y, int at,
                                                 const double *beta, sweep_effect *sum) {
    vec a[8], b[8], u[3], p[3], from[3], step[3], change = {0}, size = {0}, onward = {0};
    const vec n[] = LANE_3(x->n), last[] = LANE_3(x->p), before[] = LANE_3(x->before);
    LANED(load)(body, x->a + at, a), LANED(load)(body, x->b + at, b);
    LANED(velocity)(x, y, at, n, a, b, u);
    for (int i = 0; i < 3; i++) from[i] = last[i] + LANE(beta) * (last[i] - before[i]);
    if (y) LANED(solve_any)(x, y, at, n, from, u, p);
    else LANED(solve_round)(x, at, n, from, u, p);
    for (int i = 0; i < 3; i++) {
        step[i] = p[i] - from[i];
        change += step[i] * step[i], size += p[i] * p[i], onward += step[i] * (p[i] - last[i]);
        LANE(x->p[i]) = p[i], LANE(x->before[i]) = last[i];
    }
    const vec unit = LANE(x->own[0]) * LANE(x->own[0]), k = LANE(x->arm[0]) * a[7], m = LANE(x->arm[1]) * b[7];
    LANE(sum->change) += unit * change, LANE(sum->size) += unit * size, LANE(sum->onward) += unit * onward;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        a[i] += a[3] * step[i], b[i] -= b[3] * step[i];
        if (y) {
            const vec ta[] = LANE_3(y->turn[0][i]), tb[] = LANE_3(y->turn[1][i]);
            a[4 + i] += DOT(ta, step), b[4 + i] -= DOT(tb, step);
        } else {
            const vec turn = n[j] * step[l] - n[l] * step[j];
            a[4 + i] -= k * turn, b[4 + i] -= m * turn;
        }
    }
    LANED(store)(body, x->a + at, a), LANED(store)(body, x->b + at, b);
}

LANED_ALONE void LANED(solve_round_block)(heap_body *body, heap_block *x, const double *beta, sweep_effect *sum) {
    for (int at = 0; at < x->end; at += WIDE) LANED(solve_block)(body, x, NULL, at, beta, sum);
}

LANED_ALONE void LANED(solve_any_block)(heap_body *body, heap_block *x, const heap_arms *y, const double *beta,
                                        sweep_effect *sum) {
    for (int at = 0; at < x->end; at += WIDE) LANED(solve_block)(body, x, y, at, beta, sum);
}

/* What blocks need in sweeps alone. */
LANED_INLINE void LANED(fill)(heap *h) {
    THREADS_DIVIDE
    for (int k = 0; k < h->blocks; k++)
        for (int l = 0; l < LANES; l++) heap_fill(h, k, l);
}

/* Bodies that cannot move are written by several threads at once, always with the zeros that they have. */
LANED_INLINE void LANED(sweep)(heap *h, double factor) {
    lanes beta;
    for (int l = 0; l < LANES; l++) beta[l] = factor;
    for (int colour = 0; colour < HEAP_COLOURS; colour++) {
        if (h->first_part[colour] == h->first_part[colour + 1]) continue;
        THREADS_DIVIDE
        for (int k = h->first_part[colour]; k < h->first_part[colour + 1]; k++) {
            sweep_effect sum = {0};
            for (int i = h->part[k].first; i < h->part[k].end; i++) {
                heap_fetch_next(&h->block[i]);
                if (h->turn) LANED(solve_any_block)(h->body, &h->block[i], &h->arms[i], beta, &sum);
                else LANED(solve_round_block)(h->body, &h->block[i], beta, &sum);
            }
            h->part[k].effect = sum;
        }
    }
}

/* Velocities go on as percussions do; masses stay as they are. */
LANED_INLINE void LANED(extrapolate)(heap *h, const heap_island *s, double beta) {
    THREADS_DIVIDE
    for (int k = s->body; k < s->body + s->bodies; k++)
        for (int at = 0; at < LANES; at += WIDE) {
            double *x = h->body[h->member[k]].v, *last = h->last[h->member[k]].v;
            const vec now = LANE(x);
            LANE(x) = now + beta * (now - LANE(last)), LANE(last) = now;
        }
}

/* Nesterov's factors. Where a sweep changes more than the one before or turns back, the next one starts where this one
 * ended, and the factors are those of fewer sweeps. The error is measured where the change of a sweep lets expect that
 * it is small enough. Every thread finds all of this on its own, from the same sums: none has overtaken another by more
 * than the loop that both divide. */
LANED_INLINE island_report LANED(solve)(heap *h, const heap_island *s, heap_aim aim, int most) {
    sweep_state x = sweep_begin();
    double worst;
    LANED(measure)(h);
    double error = error_of_parts(h, &worst);
    if (sweep_is_done(&x, aim, most, error, worst)) return x.report;
    LANED(fill)(h);
    for (;;) {
        LANED(extrapolate)(h, s, x.beta);
        LANED(sweep)(h, x.beta);
        const double change = add_parts(h, offsetof(heap_part, effect.change));
        const double size = add_parts(h, offsetof(heap_part, effect.size));
        const double onward = add_parts(h, offsetof(heap_part, effect.onward));
        if (sweep_goes_on(&x, aim, most, change, size, onward)) {
            LANED(measure)(h);
            error = error_of_parts(h, &worst);
            if (sweep_is_done(&x, aim, most, error, worst)) return x.report;
        }
        if (!isfinite(change)) return x.report;
    }
}

LANED_INLINE island_report LANED(share)(heap *h, const heap_island *s, heap_aim aim, int most) {
    const int threads = heap_threads_for(h);
    island_report all = {0};
    if (threads == 1) return LANED(solve)(h, s, aim, most);
    THREADS_EACH(threads) {
        const island_report mine = LANED(solve)(h, s, aim, most);
        THREADS_FIRST all = mine;
    }
    return all;
}

/* ---------------------------------------------------------------- islands side by side */

LANED_ALONE void LANED(sweep_crowd)(heap *h, const heap_crowd *c, sweep_effect *sum) {
    for (int l = 0; l < LANES; l++)
        if (c->island[l]) LANED(extrapolate)(h, c->island[l], c->beta[l]);
    for (int k = 0; k < c->slots; k++)
        if (h->turn) LANED(solve_any_block)(h->body, &h->block[k], &h->arms[k], c->beta, sum);
        else LANED(solve_round_block)(h->body, &h->block[k], c->beta, sum);
}

LANED_ALONE void LANED(measure_crowd)(heap *h, const heap_crowd *c, law_error *sum) {
    for (int k = 0; k < c->slots; k++)
        for (int at = 0; at < LANES; at += WIDE)
            if (h->turn) LANED(add_error)(h, &h->block[k], &h->arms[k], at, sum);
            else LANED(add_error)(h, &h->block[k], NULL, at, sum);
}

#undef vec
#undef LANE
#undef LANE_3
#undef CHOOSE
