/* Formula models: elements sorted into kinds, their equations of motion derived and compiled, behind the table of
 * functions of a model. */
#include "formula_model.h"

#include "error.h"
#include "formula_context.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef formula_context context;

/* ---------------------------------------------------------------- parameters and inputs */

callback *next_callback(context *m, int *at) {
    const int k = ++*at, sums = m->groups * FUNCTIONS;
    if (k < sums) return &m->group[k / FUNCTIONS].of[k % FUNCTIONS];
    if (k < sums + EXTRAS) return &m->extra[k - sums];
    return k < sums + EXTRAS + m->curves ? &m->curve[k - sums - EXTRAS] : NULL;
}

static double *copy_numbers(const double *from, size_t count) {
    double *to = malloc((count + 1) * sizeof *to);
    if (to && from && count) memcpy(to, from, count * sizeof *to);
    return to;
}

/* Another context with values of its own: it shares the tapes, not their images. */
static void *fork_context(void *x) {
    const context *m = x;
    context *other = malloc(sizeof *other);
    if (!other) return NULL;
    memcpy(other, m, sizeof *other);
    atomic_flag_clear(&other->work_taken);
    other->fork = true;
    other->image_rate = NULL;
    other->still = calloc((size_t)m->stills + 1, sizeof *other->still);
    other->image = malloc((m->image_size + 1) * sizeof *other->image);
    other->open_number = copy_numbers(m->open_number, m->open_numbers);
    other->work = malloc((m->work_size + 1) * sizeof *other->work);
    if (!other->still || !other->image || !other->open_number || !other->work) {
        free(other->still), free(other->image), free(other->open_number), free(other->work), free(other);
        return NULL;
    }
    other->still[0] = NAN; /* nothing is set yet */
    return other;
}

/* Open numbers that depend on still symbols. */
static void set_open_numbers(context *m, const double *still, double *work) {
    if (m->open) {
        double *value = work, *registers = work + m->opens;
        tape_run(m->open, (const double *const[TAPE_BLOCKS]){still}, registers, (double *const[TAPE_ARRAYS]){value});
        for (int i = 0; i < m->opens; i++) m->open_number[m->open_place[i]] = value[i];
    }
    if (m->elastic) elastics_derive(m->elastic, m->open_number + m->elastic_at);
}

/* Sets those constants of all tapes that depend on what has changed. */
static void set_images(context *m, expr_rank changed) {
    int at = EVERY;
    for (const callback *c; (c = next_callback(m, &at));)
        for (unsigned k = 0; k < SELECTIONS; k++)
            if (c->tapes[k] && (changed != RANK_INPUT || tape_live(c->tapes[k])))
                tape_set(c->tapes[k], m->still, m->work, m->image + c->image[k]);
    set_open_numbers(m, m->still, m->work);
}

static void assign_stills(context *m, const double *parameter, const double *input) {
    expr_rank changed = isnan(m->still[0]) ? RANK_PARAMETER : RANK_NUMBER;
    for (int i = 0; i < m->parameters + m->inputs; i++) {
        const bool first = i < m->parameters;
        const double value = first ? parameter[i] : input[i - m->parameters];
        if (m->symbol[i] < 0 || memcmp(&m->still[m->symbol[i]], &value, sizeof value) == 0) continue;
        m->still[m->symbol[i]] = value;
        if (changed != RANK_PARAMETER) changed = first ? RANK_PARAMETER : RANK_INPUT;
    }
    if (changed == RANK_NUMBER) return;
    set_images(m, changed);
    forget_image_rates(m);
}

size_t formula_coefficients(const context *m) {
    return COEFFICIENTS * (size_t)m->contacts + LATCH_BOUNDS * (size_t)m->latches;
}

static int bear(void *x, carom_latch *latch) {
    context *m = x;
    double *c = calloc(formula_coefficients(m) + (size_t)m->demands + 1, sizeof *c),
           *bound = c + COEFFICIENTS * (size_t)m->contacts;
    const int status =
        !c || formula_run_extra(m, VALUES, (const double *[TAPE_BLOCKS]){NULL}, (double *[TAPE_ARRAYS]){NULL, NULL, c});
    for (int i = 0; i < m->latches && !status; i++) latch_set_bounds(&latch[i], bound + LATCH_BOUNDS * i);
    free(c);
    return status;
}

static int assign(void *x, double *parameter, const double *input, double *q0, double *u0,
                  carom_model_contact *contact) {
    context *m = x;
    assign_stills(m, parameter, input);
    if (!q0 || !m->parameters) return 0;
    double *room = calloc((size_t)(m->nq + m->nu + m->demands) + formula_coefficients(m) + 1, sizeof *room),
           *c = room + m->nq + m->nu, *demand = c + formula_coefficients(m);
    if (!room) return 1;
    int status =
        formula_run_extra(m, VALUES, (const double *[TAPE_BLOCKS]){NULL}, (double *[TAPE_ARRAYS]){parameter, room, c});
    memcpy(q0, room, (size_t)m->nq * sizeof *q0);
    memcpy(u0, room + m->nq, (size_t)m->nu * sizeof *u0);
    for (int k = 0; k < m->contacts; k++, c += COEFFICIENTS)
        contact[k].friction = c[0], contact[k].restitution = c[1], contact[k].tangential_restitution = c[2],
        contact[k].rest = c[3], contact[k].kinetic = c[4];
    for (int k = m->demands - 1; k >= 0; k--) /* what is not defined has its reason in there as well */
        if (!(demand[k] > 0)) status = MODEL_DEMANDS + k;
    free(room);
    return status;
}

static void context_destroy(void *x) {
    context *m = x;
    if (!m->fork) {
        for (int i = 0; i < m->groups; i++) group_destroy(&m->group[i]);
        for (int i = 0; i < EXTRAS; i++) callback_destroy(&m->extra[i]);
        elastics_destroy(m->elastic);
        tape_destroy(m->open);
        for (int i = 0; i < m->curves; i++) callback_destroy(&m->curve[i]);
        free(m->curve), free(m->contact_curve), free((int *)m->mu_q.start), free((int *)m->mu_q.index);
        free(m->group), free(m->symbol), free(m->open_place), free(m->owner);
    }
    forget_image_rates(m);
    free(m->image_rate);
    free(m->still), free(m->image), free(m->open_number), free(m->work);
    free(m);
}

/* ---------------------------------------------------------------- compilation */

/* A model in the making: kinds, their equations and switches. */
typedef struct creation {
    const formula_def *def;
    kinds kinds;
    kind_def whole; /* the def, where it is the only kind */
    int count;      /* of kinds, whose equations follow */
    const kind_def *kind;
    equations *equations;
    switches *sw; /* of the kind that has some, the first one */
    assembly assembly;
    compilation compilation;
    context *x;
} creation;

static bool is_whole(const creation *c) {
    return c->kind == &c->whole;
}

static void start_compilation(creation *c, int n) {
    const equations *e = &c->equations[n];
    const int first_open = e->first_w + e->ns + e->def->nu;
    c->compilation.g = e->g;
    c->compilation.sw = n == 0 ? c->sw : NULL;
    c->compilation.layout =
        (tape_layout){{0, e->first_q, e->first_u, e->first_w, first_open, first_open + c->kind[n].parameters}};
}

static carom_status derive(creation *c, formula_part *part, int *index, carom_error *error) {
    carom_status status = CAROM_OK;
    for (int n = 0; n < c->count && !status; n++) {
        equations *e = &c->equations[n];
        const kind_def *k = &c->kind[n];
        status = equations_derive(&k->def, e, part, index, error);
        if (!status && n == 0 && !(c->sw = equations_switches(e))) status = carom_error_memory(error);
        if (!status && !is_whole(c) && !functions_select(e, k->own, k->owned)) status = carom_error_memory(error);
    }
    return status;
}

static bool compile_kinds(creation *c) {
    context *x = c->x;
    x->group = calloc((size_t)c->count, sizeof *x->group);
    bool ok = x->group != NULL;
    for (int n = 0; n < c->count && ok; n++) {
        start_compilation(c, n);
        ok = functions_compile(&c->compilation, &c->equations[n], is_whole(c) ? c->def->nq : c->kind[n].owned,
                               x->group[x->groups++].of);
    }
    if (!ok) return false;
    if (is_whole(c)) {
        x->group[0].whole = true;
        assemble_whole(&c->equations[0], x->group[0].of, &c->assembly);
    } else ok = assemble(c->def, &c->kinds, c->equations, x->group, &c->kinds.memory, &c->assembly);
    x->owner = calloc((size_t)(c->def->ng + c->def->contacts) + 1, sizeof *x->owner);
    ok = ok && x->owner;
    if (ok && !is_whole(c)) instances_own(x->group, x->groups, x->owner);
    memcpy(x->size, c->assembly.size, sizeof x->size);
    return ok;
}

/* Over the symbols of the model, and the speeds of contacts; its switches are those of the whole model. */
static bool compile_extras(creation *c) {
    const formula_def *d = c->def;
    int slips = 0;
    for (int k = 0; k < d->contacts && d->slip_scale; k++) slips += d->contact[k].slips;
    const int values = COEFFICIENTS * d->contacts + LATCH_BOUNDS * d->latches + d->demands;
    const tape_array none = {NULL, 0},
                     outputs[EXTRAS][OUTPUTS] = {
                         [SYMMETRY] = {{d->symmetry, d->symmetries * d->nu}, none, none},
                         [SLIP_SCALE] = {{d->slip_scale, slips}, none, none},
                         [RESTITUTION] = {{d->restitution, d->restitution ? d->contacts : 0}, none, none},
                         [OBSERVE] = {{d->observable, d->observables}, none, none},
                         [SUPPORT] = {{d->support, 4 * d->supports}, none, none},
                         [ANCHOR] = {{d->anchor, d->anchors}, none, none},
                         [VALUES] = {{d->parameter, d->parameters},
                                     {d->start, d->parameters ? d->nq + d->nu : 0},
                                     {d->coefficient, d->parameters ? values : 0}}};
    const int end = 1 + d->nq + d->nu, after = end + (d->contacts > 4 ? d->contacts : 4);
    c->compilation.g = d->g;
    c->compilation.sw = is_whole(c) ? c->sw : NULL;
    c->compilation.layout = (tape_layout){{0, 1, 1 + d->nq, end, after, after}};
    bool ok = formula_compile_curves(c->x, d, &c->compilation);
    for (int i = 0; i < EXTRAS && ok; i++) ok = callback_compile(&c->compilation, &c->x->extra[i], outputs[i]);
    return ok;
}

/* The next open number: its value, or the formula that a tape shall run. */
static void place_open_number(creation *c, expr value, size_t *at, expr *open) {
    context *x = c->x;
    if (!expr_is_number(c->def->g, value, &x->open_number[*at])) {
        x->open_place[x->opens] = (int)*at;
        open[x->opens++] = value;
    }
    ++*at;
}

/* The open numbers of all instances, and of elastic elements; those that depend on parameters get a tape. */
static bool place_open_numbers(creation *c) {
    context *x = c->x;
    for (int n = 0; n < c->count; n++) {
        x->group[n].parameter_at = x->open_numbers;
        x->open_numbers += (size_t)c->kind[n].count * (size_t)c->kind[n].parameters;
    }
    x->elastic_at = x->open_numbers;
    const size_t data = elastics_numbers(c->def->elastics, c->def->elastic);
    x->found_at = x->elastic_at + data;
    x->open_numbers = x->found_at + (size_t)c->def->found_numbers;
    expr *open = malloc((x->open_numbers + 1) * sizeof *open);
    x->open_place = malloc((x->open_numbers + 1) * sizeof *x->open_place);
    x->open_number = calloc(x->open_numbers + 1, sizeof *x->open_number);
    bool ok = open && x->open_place && x->open_number;
    size_t at = 0;
    for (int n = 0; n < c->count && ok; n++)
        for (int i = 0; i < c->kind[n].count * c->kind[n].parameters; i++)
            place_open_number(c, c->kind[n].parameter[i], &at, open);
    const expr *given = c->def->elastic_number;
    for (int k = 0; k < c->def->elastics && ok; k++) {
        const elastic *kind = c->def->elastic[k].kind;
        for (int i = 0; i < kind->given; i++) place_open_number(c, *given++, &at, open);
        at += (size_t)(kind->numbers - kind->given);
    }
    for (int i = 0; i < c->def->found_numbers && ok; i++) place_open_number(c, c->def->found_number[i], &at, open);
    if (ok && x->opens) ok = (x->open = tape_compile_still(c->def->g, open, x->opens)) != NULL;
    free(open);
    return ok;
}

static bool make_work(creation *c) {
    context *x = c->x;
    const size_t sums = instances_work(x->group, x->groups, true),
                 extras = 2 * (c->compilation.registers + c->compilation.length); /* values, and their weights */
    x->work_size = sums > extras ? sums : extras;
    const size_t open = x->open ? 2 * (size_t)tape_registers(x->open) + (size_t)x->opens : 0;
    if (open > x->work_size) x->work_size = open;
    x->work = malloc((x->work_size + 1) * sizeof *x->work);
    x->image_size = c->compilation.image_size;
    if (x->work) set_open_numbers(x, graph_still_values(c->def->g), x->work);
    return x->work != NULL;
}

static bool place_elastics(creation *c) {
    const formula_def *d = c->def;
    if (d->elastics > 0)
        c->x->elastic =
            elastics_create(d->elastics, d->elastic,
                            (carom_pattern[]){c->assembly.pattern[FORCE][1], c->assembly.pattern[MOMENTUM_B][1]});
    return d->elastics == 0 || c->x->elastic;
}

/* Which still symbols the parameters and inputs are, and their values; these in value[parameters + inputs], too. */
static bool place_stills(context *x, const formula_def *d, double *value) {
    const int count = d->parameters + d->inputs;
    x->parameters = d->parameters, x->inputs = d->inputs, x->stills = graph_stills(d->g);
    x->nq = d->nq, x->nu = d->nu, x->ng = d->ng, x->contacts = d->contacts, x->latches = d->latches,
    x->demands = d->demands;
    x->symbol = malloc(((size_t)count + 1) * sizeof *x->symbol);
    for (int i = 0; x->symbol && i < count; i++) {
        const bool first = i < d->parameters;
        const expr e = first ? d->parameter[i] : d->input[i - d->parameters];
        x->symbol[i] = graph_still_called(d->g, e, first ? d->parameter_names[i] : d->input_names[i - d->parameters]);
        value[i] = expr_value(d->g, e, NULL);
    }
    return x->symbol != NULL;
}

/* ---------------------------------------------------------------- the model */

/* What only the sum of all kinds can show: velocities without a mass, symmetries that depend on velocities. */
static carom_status check_sum(const creation *c, carom_error *error) {
    const formula_def *d = c->def;
    const carom_pattern *M = &c->assembly.pattern[MASS][0];
    carom_status status = CAROM_OK;
    for (int i = 0; i < d->nu && !status && !is_whole(c); i++) {
        bool diagonal = false;
        for (int k = M->start[i]; k < M->start[i + 1]; k++) diagonal = diagonal || M->index[k] == i;
        if (!diagonal) status = equations_singular(d, i, error);
    }
    for (int i = 0; i < d->symmetries * d->nu && !status && !is_whole(c); i++)
        if (expr_depends(d->g, d->symmetry[i], 1 + d->nq, d->nq + d->nu))
            status = carom_error_set(error, CAROM_DATA, "a symmetry must not depend on velocities");
    return status;
}

static bool any_power(const creation *c) {
    bool any = false;
    for (int n = 0; n < c->count && !any; n++)
        any = !expr_equals(c->equations[n].g, c->equations[n].power[0], 0) ||
              !expr_equals(c->equations[n].g, c->equations[n].power[1], 0);
    return any;
}

static bool is_trivial(const creation *c) {
    bool trivial = c->def->nq == c->def->nu;
    for (int i = 0; i < c->def->nq && trivial && c->def->q_dot; i++)
        trivial = expr_symbol_of(c->def->g, c->def->q_dot[i]) == 1 + c->def->nq + i;
    return trivial;
}

static void fill_patterns(const creation *c, carom_model_def *table) {
    const assembly *a = &c->assembly;
    table->B = a->pattern[KINEMATICS][1], table->q_dot_q = a->pattern[KINEMATICS][2];
    table->M = a->pattern[MASS][0], table->Mv_q = a->pattern[MASS_Q][0];
    table->h_q = a->pattern[FORCE][1], table->h_u = a->pattern[FORCE][2];
    table->p_q = a->pattern[MOMENTUM_P][1];
    table->b_q = a->pattern[MOMENTUM_B][1], table->b_u = a->pattern[MOMENTUM_B][2];
    table->c_q = a->pattern[POSITION][1];
    table->WT = a->pattern[VELOCITY][1], table->s_q = a->pattern[VELOCITY][2];
    table->Wr_q = a->pattern[DIRECTION_Q][0], table->d_q = a->pattern[DISPLACEMENT][1];
    table->mu_q = c->x->mu_q;
    if (is_trivial(c)) table->kinematics = NULL, table->B = table->q_dot_q = (carom_pattern){0};
    if (!a->size[MASS_Q][0]) table->mass_q = NULL, table->Mv_q = (carom_pattern){0};
    if (!c->def->displacement) table->d_q = (carom_pattern){0};
}

static carom_model_def fill(const creation *c) {
    const formula_def *d = c->def;
    const switches *sw = c->sw;
    carom_model_def table = carom_model_default();
    table.nq = d->nq, table.nu = d->nu, table.ng = d->ng, table.ngamma = d->ngamma, table.contacts = d->contacts;
    table.q_names = d->q_names, table.u_names = d->u_names, table.g_names = d->g_names;
    table.gamma_names = d->gamma_names, table.contact = d->contact;
    table.g_owners = d->g_owners, table.gamma_owners = d->gamma_owners;
    table.q0 = d->q0, table.u0 = d->u0, table.t0 = d->t0;
    table.rotations = d->rotations, table.rotation = d->rotation;
    table.sequential = d->sequential;
    formula_table(c->x, d, &table);
    table.destroy = context_destroy;
    fill_patterns(c, &table);
    for (int n = 0; n < c->count; n++) table.rheonomic = table.rheonomic || c->equations[n].rheonomic;
    if (!any_power(c)) table.power = NULL;
    table.symmetries = d->symmetries, table.symmetry_names = d->symmetry_names;
    table.observables = d->observables, table.observable_names = d->observable_names;
    table.anchors = d->anchors, table.anchor_q = d->anchor_q;
    table.latches = d->latches, table.latch = d->latch, table.slacks = d->slacks;
    if (d->latches && d->parameters) table.bear = bear, table.bear_tangent = formula_bear_tangent;
    table.supports = d->supports, table.support_row = d->support_row, table.support_kind = d->support_kind;
    table.switches = switches_count(sw), table.switch_names = switches_names(sw), table.switch_info = switches_info(sw);
    table.parameters = d->parameters, table.parameter_names = d->parameter_names;
    table.inputs = d->inputs, table.input_names = d->input_names;
    if (d->parameters + d->inputs) table.fork = fork_context, table.assign = assign;
    return table;
}

/* Entries of still symbols and open numbers alone. */
static bool is_constant(const creation *c) {
    bool constant = true;
    for (int n = 0; n < c->count; n++) {
        const equations *e = &c->equations[n];
        for (int k = 0; k < e->M.start[e->M.rows] && constant; k++)
            constant = expr_rank_of(e->g, e->M.value[k]) >= RANK_PARAMETER ||
                       !expr_depends(e->g, e->M.value[k], 0, e->first_w + e->ns + e->def->nu - 1);
    }
    return constant;
}

static carom_status make_model(creation *c, carom_model **model, carom_error *error) {
    const formula_def *d = c->def;
    double *value = malloc(((size_t)(d->parameters + d->inputs) + 1) * sizeof *value);
    carom_status status = CAROM_OK;
    c->x = calloc(1, sizeof *c->x);
    if (c->x) atomic_flag_clear(&c->x->work_taken);
    if (!value || !c->x || !compile_kinds(c) || !compile_extras(c) || !place_open_numbers(c) || !place_elastics(c) ||
        !make_work(c) || !place_stills(c->x, d, value))
        status = carom_error_memory(error);
    if (!status) status = check_sum(c, error);
    if (!status) {
        carom_model_def table = fill(c);
        table.parameter = value, table.input = value + d->parameters;
        status = carom_model_create(&table, model, error);
        if (!status) (*model)->constant_mass = is_constant(c);
        if (!status) (*model)->maker = &formula_part_maker;
        if (!status && d->found_numbers) (*model)->found_numbers = formula_found_numbers;
        if (!status && !is_whole(c)) (*model)->row = formula_row, (*model)->row_range = formula_row_range;
    }
    if (status && c->x) context_destroy(c->x);
    free(value);
    return status;
}

static carom_status create(creation *c, carom_model **model, formula_part *part, int *index, carom_error *error) {
    c->equations = calloc((size_t)c->count, sizeof *c->equations);
    carom_status status = c->equations ? derive(c, part, index, error) : carom_error_memory(error);
    if (!status) status = make_model(c, model, error);
    for (int n = 0; n < c->count && c->equations; n++) equations_destroy(&c->equations[n]);
    switches_destroy(c->sw);
    free(c->equations);
    return status;
}

/* If a kind is wrong, asks the whole model for the complaint, since that knows the place in the model. */
carom_status formula_model_create(const formula_def *def, carom_model **model, formula_part *part, int *index,
                                  carom_error *error) {
    creation c = {.def = def};
    *model = NULL, *part = FORMULA_NONE, *index = 0;
    carom_status status = kinds_find(def, &c.kinds, error);
    const bool sorted = !status && c.kinds.count > 0;
    if (sorted) {
        c.count = c.kinds.count, c.kind = c.kinds.at;
        status = create(&c, model, part, index, error);
    }
    kinds_destroy(&c.kinds);
    if (sorted ? status != CAROM_DATA : status != CAROM_OK) return status;
    creation whole = {.def = def, .count = 1, .whole.def = *def};
    whole.kind = &whole.whole;
    return create(&whole, model, part, index, error);
}
