/* What heap_sweep.c does four contacts at a time. It is included once for every set of registers, with LANED(name) for
 * the names of its functions and LANED_INLINE before them: a compiler takes vectors apart where it sees a function. */

/* ---------------------------------------------------------------- bodies of a block */

LANED_INLINE void LANED(transpose)(four x[4]) {
    const four a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const four c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Components of v and 1/m, and of w and 1/J, of four bodies. */
LANED_INLINE void LANED(load)(const heap_body *body, const int at[LANES], four v[4], four w[4]) {
    for (int l = 0; l < LANES; l++) v[l] = *(const four *)body[at[l]].v, w[l] = *(const four *)body[at[l]].w;
    LANED(transpose)(v), LANED(transpose)(w);
}

LANED_INLINE void LANED(store)(heap_body *body, const int at[LANES], four v[4], four w[4]) {
    LANED(transpose)(v), LANED(transpose)(w);
    for (int l = 0; l < LANES; l++) *(four *)body[at[l]].v = v[l], *(four *)body[at[l]].w = w[l];
}

/* (FC14); y: NULL where bodies are round, and l lies along n. */
LANED_INLINE HEAP_ALWAYS void LANED(velocity)(const heap_block *x, const heap_arms *y, const four va[4],
                                              const four wa[4], const four vb[4], const four wb[4], four u[3]) {
    four w[3];
    for (int i = 0; i < 3 && !y; i++) w[i] = x->arm[0] * wa[i] + x->arm[1] * wb[i];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const four turn = y ? (wb[j] * y->l[1][k] - wb[k] * y->l[1][j]) - (wa[j] * y->l[0][k] - wa[k] * y->l[0][j])
                            : w[j] * x->n[k] - w[k] * x->n[j];
        u[i] = va[i] - vb[i] - turn + x->d[i];
    }
}

/* The factor that cuts a vector to a length: most/|x| where that is below 1. */
LANED_INLINE void LANED(cut)(const four *square, const four *most, four *part) {
    four length;
    for (int l = 0; l < LANES; l++) length[l] = sqrt((*square)[l]);
    const four_bits outside = *square > *most * *most;
    *part = CHOOSE(outside, *most / length, one);
}

/* ---------------------------------------------------------------- errors */

/* Natural maps of both laws, w + prox_C(u - w) with w = A p: squares, and those of w (FC11). */
LANED_INLINE HEAP_ALWAYS void LANED(add_error)(const heap *h, const heap_block *x, const heap_arms *y, law_error *sum) {
    four va[4], wa[4], vb[4], wb[4], u[3], w[3], onto[3];
    LANED(load)(h->body, x->a, va, wa), LANED(load)(h->body, x->b, vb, wb);
    LANED(velocity)(x, y, va, wa, vb, wb, u);
    const four uN = DOT(x->n, u), pN = DOT(x->n, x->p), wN = x->own[0] * pN;
    const four radius = CHOOSE(pN > zero, x->own[1] * x->mu * pN, zero), least = CHOOSE(wN < uN, wN, uN);
    for (int i = 0; i < 3; i++) {
        w[i] = x->own[1] * (x->p[i] - pN * x->n[i]);
        onto[i] = w[i] - (u[i] - uN * x->n[i]);
    }
    const four square = DOT(onto, onto);
    four part, friction = zero;
    LANED(cut)(&square, &radius, &part);
    for (int i = 0; i < 3; i++) {
        const four e = w[i] - part * onto[i];
        friction += e * e;
    }
    const four normal = least * least, larger = CHOOSE(normal > friction, normal, friction);
    sum->worst = CHOOSE(larger > sum->worst, larger, sum->worst);
    sum->missed += normal + friction, sum->size += wN * wN + DOT(w, w) + x->scale * x->scale;
}

LANED_INLINE void LANED(measure)(heap *h) {
    THREADS_DIVIDE
    for (int k = 0; k < h->parts; k++) {
        law_error sum = {0};
        for (int i = h->part[k].first; i < h->part[k].end; i++)
            if (h->turn) LANED(add_error)(h, &h->block[i], &h->arms[i], &sum);
            else LANED(add_error)(h, &h->block[i], NULL, &sum);
        h->part[k].error = sum;
    }
}

/* ---------------------------------------------------------------- sweeps */

/* (FC15) from percussions `from` with the velocity u. */
LANED_INLINE void LANED(solve_round)(const heap_block *x, const four from[3], const four u[3], four p[3]) {
    four across[3], part;
    const four uN = DOT(x->n, u), fromN = DOT(x->n, from), press = fromN - x->give[0] * uN;
    const four pN = CHOOSE(press > zero, press, zero), most = x->mu * pN;
    for (int i = 0; i < 3; i++) across[i] = from[i] - fromN * x->n[i] - x->give[1] * (u[i] - uN * x->n[i]);
    const four square = DOT(across, across);
    LANED(cut)(&square, &most, &part);
    for (int i = 0; i < 3; i++) p[i] = pN * x->n[i] + part * across[i];
}

/* x -> S x with the six entries of S */
LANED_INLINE void LANED(times)(const four S[6], const four x[3], four y[3]) {
    y[0] = S[0] * x[0] + S[5] * x[1] + S[4] * x[2];
    y[1] = S[5] * x[0] + S[1] * x[1] + S[3] * x[2];
    y[2] = S[4] * x[0] + S[3] * x[1] + S[2] * x[2];
}

/* One after the other: the normal part with the friction there is, and friction with that. */
LANED_INLINE void LANED(slip)(const heap_block *x, const heap_arms *y, const four from[3], const four u[3], four p[3]) {
    four v[3] = {u[0], u[1], u[2]}, step[3], more[3], across[3], part;
    for (int i = 0; i < 3; i++) p[i] = from[i];
    for (int round = 0; round < 2; round++) {
        const four lastN = DOT(x->n, p), press = lastN - x->give[0] * DOT(x->n, v);
        const four pN = CHOOSE(press > zero, press, zero), most = x->mu * pN;
        for (int i = 0; i < 3; i++) step[i] = (pN - lastN) * x->n[i];
        LANED(times)(y->A, step, more);
        for (int i = 0; i < 3; i++) v[i] += more[i];
        const four vN = DOT(x->n, v);
        for (int i = 0; i < 3; i++) across[i] = p[i] - lastN * x->n[i] - y->slide * (v[i] - vN * x->n[i]);
        const four square = DOT(across, across);
        LANED(cut)(&square, &most, &part);
        for (int i = 0; i < 3; i++) {
            const four next = pN * x->n[i] + part * across[i];
            step[i] = next - p[i] - step[i], p[i] = next;
        }
        LANED(times)(y->A, step, more);
        for (int i = 0; i < 3; i++) v[i] += more[i];
    }
}

/* It opens if it does without percussion; it sticks if that lies in the cone; else it slips (FC18). */
LANED_INLINE void LANED(solve_any)(const heap_block *x, const heap_arms *y, const four from[3], const four u[3],
                                   four p[3]) {
    four step[3], before[3], across[3], slipping[3];
    LANED(times)(y->A, from, before), LANED(times)(y->inverse, u, step);
    for (int i = 0; i < 3; i++) p[i] = from[i] - step[i];
    const four pN = DOT(x->n, p), most = x->mu * pN;
    for (int i = 0; i < 3; i++) across[i] = p[i] - pN * x->n[i];
    const four_bits opens = DOT(x->n, u) - DOT(x->n, before) >= zero;
    const four_bits sticks = (pN > zero) & (DOT(across, across) <= most * most), decided = opens | sticks;
    for (int i = 0; i < 3; i++) slipping[i] = zero;
    if (!(decided[0] & decided[1] & decided[2] & decided[3])) LANED(slip)(x, y, from, u, slipping);
    for (int i = 0; i < 3; i++) p[i] = CHOOSE(opens, zero, CHOOSE(sticks, p[i], slipping[i]));
}

/* One contact solved, from percussions that go on by beta times their last change. */
LANED_INLINE HEAP_ALWAYS void LANED(solve_block)(heap_body *body, heap_block *x, const heap_arms *y, double beta,
                                                 sweep_effect *sum) {
    four va[4], wa[4], vb[4], wb[4], u[3], from[3], p[3], step[3], change = zero, size = zero, onward = zero;
    LANED(load)(body, x->a, va, wa), LANED(load)(body, x->b, vb, wb);
    LANED(velocity)(x, y, va, wa, vb, wb, u);
    for (int i = 0; i < 3; i++) from[i] = x->p[i] + beta * (x->p[i] - x->before[i]), x->before[i] = x->p[i];
    if (y) LANED(solve_any)(x, y, from, u, p);
    else LANED(solve_round)(x, from, u, p);
    for (int i = 0; i < 3; i++) {
        step[i] = p[i] - from[i];
        change += step[i] * step[i], size += p[i] * p[i], onward += step[i] * (p[i] - x->before[i]);
        x->p[i] = p[i];
    }
    const four unit = x->own[0] * x->own[0], k = x->arm[0] * wa[3], m = x->arm[1] * wb[3];
    sum->change += unit * change, sum->size += unit * size, sum->onward += unit * onward;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        va[i] += va[3] * step[i], vb[i] -= vb[3] * step[i];
        if (y) wa[i] += DOT(y->turn[0][i], step), wb[i] -= DOT(y->turn[1][i], step);
        else {
            const four turn = x->n[j] * step[l] - x->n[l] * step[j];
            wa[i] -= k * turn, wb[i] -= m * turn;
        }
    }
    LANED(store)(body, x->a, va, wa), LANED(store)(body, x->b, vb, wb);
}

LANED_ALONE void LANED(solve_round_block)(heap_body *body, heap_block *x, double beta, sweep_effect *sum) {
    LANED(solve_block)(body, x, NULL, beta, sum);
}

LANED_ALONE void LANED(solve_any_block)(heap_body *body, heap_block *x, const heap_arms *y, double beta,
                                        sweep_effect *sum) {
    LANED(solve_block)(body, x, y, beta, sum);
}

/* What a block of bodies that are not round needs in sweeps. */
LANED_INLINE void LANED(fill)(heap *h) {
    THREADS_DIVIDE
    for (int k = 0; k < h->blocks; k++)
        for (int l = 0; l < LANES && h->turn; l++) fill_arms(h, &h->block[k], &h->arms[k], l);
}

/* Bodies that cannot move are written by several threads at once, always with the zeros that they have. */
LANED_INLINE void LANED(sweep)(heap *h, double beta) {
    for (int colour = 0; colour < HEAP_COLOURS; colour++) {
        if (h->first_part[colour] == h->first_part[colour + 1]) continue;
        THREADS_DIVIDE
        for (int k = h->first_part[colour]; k < h->first_part[colour + 1]; k++) {
            sweep_effect sum = {0};
            for (int i = h->part[k].first; i < h->part[k].end; i++)
                if (h->turn) LANED(solve_any_block)(h->body, &h->block[i], &h->arms[i], beta, &sum);
                else LANED(solve_round_block)(h->body, &h->block[i], beta, &sum);
            h->part[k].effect = sum;
        }
    }
}

/* Velocities go on as percussions do; masses stay as they are. */
LANED_INLINE void LANED(extrapolate)(heap *h, const heap_island *s, double beta) {
    THREADS_DIVIDE
    for (int k = s->body; k < s->body + s->bodies; k++) {
        four *x = (four *)h->body[h->member[k]].v, *last = (four *)h->last[h->member[k]].v;
        for (int i = 0; i < 2; i++) {
            const four now = x[i];
            x[i] = now + beta * (now - last[i]), last[i] = now;
        }
    }
}

/* Nesterov's factors, which begin anew where a sweep changes more than the one before or turns back. Every thread finds
 * them on its own, from the same sums: none has overtaken another by more than the loop that both divide. */
LANED_INLINE island_report LANED(solve)(heap *h, const heap_island *s, double good, double wanted, int most) {
    double changed = INFINITY, t = 1, beta = 0;
    island_report r = {0};
    LANED(measure)(h);
    r.error = error_of(h, &r.worst);
    if (r.error <= good || most == 0) return r;
    LANED(fill)(h);
    for (r.sweeps = 1;; r.sweeps++) {
        LANED(extrapolate)(h, s, beta);
        LANED(sweep)(h, beta);
        const sweep_effect effect = effect_of(h);
        const double change = sum_of(&effect.change), onward = sum_of(&effect.onward);
        if (change <= wanted * wanted * sum_of(&effect.size) || r.sweeps % EVERY == 0 || r.sweeps == most) {
            LANED(measure)(h);
            r.error = error_of(h, &r.worst);
        }
        if (r.error <= wanted || r.sweeps >= most || !isfinite(change)) return r;
        const bool astray = change > changed || onward < 0;
        const double next = astray ? 1 : (1 + sqrt(1 + 4 * t * t)) / 2;
        beta = astray ? 0 : (t - 1) / next;
        changed = change, t = next;
    }
}

LANED_INLINE island_report LANED(share)(heap *h, const heap_island *s, double good, double wanted, int most) {
    const int threads = threads_for(h);
    island_report all = {0};
    if (threads == 1) return LANED(solve)(h, s, good, wanted, most);
    THREADS_EACH(threads) {
        const island_report mine = LANED(solve)(h, s, good, wanted, most);
        THREADS_FIRST all = mine;
    }
    return all;
}
