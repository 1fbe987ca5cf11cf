#include "components.h"

static int leader(int *of, int i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

/* Joins coordinate i with all that its rate depends on. */
static bool join(const formula_def *def, int i, int *of, int *symbols) {
    const int most = def->nq + def->nu;
    const int found = expr_support(def->g, def->q_dot[i], symbols, most);
    for (int k = 0; k < found && k < most; k++)
        if (symbols[k] > 0 && symbols[k] <= most) of[leader(of, symbols[k] - 1)] = leader(of, i);
    return found >= 0;
}

/* Numbers the components by their first members and counts the members. */
static void number(components *c, int nq, int nu, int *at) {
    for (int i = 0; i < nq + nu; i++) at[i] = -1;
    for (int i = 0; i < nq + nu; i++) {
        int *component = &at[leader(c->of, i)];
        if (*component < 0) *component = c->count++;
    }
    for (int i = 0; i < nq + nu; i++) c->place[i] = at[leader(c->of, i)];
    for (int i = 0; i < nq + nu; i++) c->of[i] = c->place[i];
    for (int i = 0; i < nq; i++) c->first_q[c->of[i] + 1]++;
    for (int j = 0; j < nu; j++) c->first_u[c->of[nq + j] + 1]++;
    for (int k = 0; k < c->count; k++) c->first_q[k + 1] += c->first_q[k], c->first_u[k + 1] += c->first_u[k];
}

static void list(const int *of, int count, const int *first, int *filled, int *members, int *place) {
    for (int i = 0; i < count; i++) {
        place[i] = filled[of[i]]++;
        members[first[of[i]] + place[i]] = i;
    }
}

bool components_find(const formula_def *def, pool *memory, components *c) {
    const int nq = def->nq, nu = def->nu;
    const size_t all = (size_t)nq + (size_t)nu + 1;
    int *scratch = pool_get(memory, 2 * all, sizeof *scratch);
    *c = (components){.of = pool_get(memory, all, sizeof *c->of),
                      .place = pool_get(memory, all, sizeof *c->place),
                      .first_q = pool_get(memory, all, sizeof *c->first_q),
                      .first_u = pool_get(memory, all, sizeof *c->first_u),
                      .q = pool_get(memory, all, sizeof *c->q),
                      .u = pool_get(memory, all, sizeof *c->u)};
    if (!scratch || !c->of || !c->place || !c->first_q || !c->first_u || !c->q || !c->u) return false;
    for (int i = 0; i < nq + nu; i++) c->of[i] = i;
    bool ok = true;
    for (int i = 0; i < nq && ok; i++)
        if (def->q_dot) ok = formula_is_anchor(def, i) || join(def, i, c->of, scratch);
        else c->of[nq + i] = i;
    if (!ok) return false;
    number(c, nq, nu, scratch);
    for (int i = 0; i < 2 * (nq + nu); i++) scratch[i] = 0;
    list(c->of, nq, c->first_q, scratch, c->q, c->place);
    list(c->of + nq, nu, c->first_u, scratch + nq + nu, c->u, c->place + nq);
    return true;
}
