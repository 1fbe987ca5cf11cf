/* Moving and turning a whole mechanism: the symmetries behind linear and angular momentum. */
#include "error.h"
#include "read.h"

#include <stdio.h>

/* A coordinate with that name means the coordinate. */
static bool has_motion(const draft *d, const node *map, const char *key) {
    return yaml_find(map, key) && !table_find(&d->n->symbols, key);
}

bool draft_is_rigid_motion(const draft *d, const node *map) {
    return map->kind == NODE_MAP && (has_motion(d, map, "translate") || has_motion(d, map, "rotate"));
}

static carom_status bodies_alone(draft *d, const element *e) {
    int nq = d->anchors;
    for (int i = 0; i < d->members.count; i++) nq += d->members.at[i].body.nq;
    if (nq == d->nq) return CAROM_OK;
    return node_error(d->n->error, e->key,
                      "'%s' moves bodies, and the model has coordinates that are not theirs: list what each does",
                      e->name);
}

/* v = a + w x (r - b) at the centre of mass r of each body (DF6) */
carom_status draft_rigid_motion(draft *d, const element *e, expr *xi) {
    graph *g = d->n->g;
    vec along, turn, about;
    int count;
    char what[96];
    snprintf(what, sizeof what, "symmetry '%.80s'", e->name);
    carom_status status = read_keys(d, e, what, "model", "symmetries");
    if (!status) status = bodies_alone(d, e);
    if (!status) status = read_constants(d, e, "translate", 1, 3, along.at, &count);
    if (!status) status = read_constants(d, e, "rotate", 3, 3, turn.at, &count);
    if (!status) status = read_constants(d, e, "about", 1, 3, about.at, &count);
    if (status) return status;
    for (int i = 0; i < d->members.count && !status; i++) {
        const member *m = &d->members.at[i];
        vec arm = vec_sub(g, m->body.pose.r, about);
        vec v = vec_add(g, along, vec_cross(g, turn, arm));
        if (m->body.nu && !body_carry(g, &m->body, v, turn, xi + m->u))
            status = node_error(d->n->error, e->key, "the symmetry '%s' would move '%s' out of its line or plane",
                                e->name, m->name);
    }
    return status;
}
