/* From the tree to a model: its parts in order, and the check of what came out. */
#include "draft.h"
#include "error.h"
#include "model/formula/formula_model.h"
#include "model/model.h"
#include "read.h"

/* Rows of supports: gaps come after the constraints, all of which are known now. Then the kinds of supports. */
static int *support_rows(draft *d) {
    int *row = zeros(d, 2 * d->supports, sizeof *row);
    for (int i = 0; row && i < d->supports; i++) {
        row[i] = d->support[i].number + (d->support[i].part == FORMULA_GAP ? d->of[FORMULA_CONSTRAINT].count : 0);
        row[d->supports + i] = (int)d->support[i].kind;
    }
    return row;
}

/* Expressions of contacts, of what latches bear, and of what parameters must keep. */
static carom_status add_coefficients(draft *d, formula_def *def) {
    const int contacts = d->of[FORMULA_GAP].count,
              all = COEFFICIENTS * contacts + LATCH_BOUNDS * d->latches + d->demands;
    expr *value = zeros(d, all, sizeof *value);
    if (!value) return carom_error_memory(d->n->error);
    def->coefficient = value;
    for (int i = 0; i < COEFFICIENTS * contacts; i++) *value++ = d->coefficient[i / COEFFICIENTS][i % COEFFICIENTS];
    for (int i = 0; i < LATCH_BOUNDS * d->latches; i++) *value++ = d->bound[i / LATCH_BOUNDS][i % LATCH_BOUNDS];
    for (int i = 0; i < d->demands; i++) *value++ = d->demand[i];
    return CAROM_OK;
}

static carom_status add_parameters(draft *d, formula_def *def) {
    const int count = d->scene->parameters;
    const char **name = zeros(d, count, sizeof *name);
    expr *value = zeros(d, count, sizeof *value), *start = zeros(d, d->nq + d->nu, sizeof *start);
    carom_status status = name && value && start ? CAROM_OK : carom_error_memory(d->n->error);
    for (int i = 0; i < count && !status; i++) {
        const symbol *s = d->scene->parameter[i];
        name[i] = s->name, value[i] = s->value;
    }
    const char **input = zeros(d, d->inputs, sizeof *input);
    expr *first = zeros(d, d->inputs, sizeof *first);
    if (!status && (!input || !first)) status = carom_error_memory(d->n->error);
    for (int i = 0; i < d->inputs && !status; i++) input[i] = d->input[i]->name, first[i] = d->input[i]->value;
    def->inputs = d->inputs, def->input_names = input, def->input = first;
    for (int i = 0; i < d->nq + d->nu && !status; i++)
        start[i] = d->start_of[1 + i] < 0 ? expr_number(d->n->g, d->start[1 + i]) : d->start_of[1 + i];
    def->parameters = count, def->parameter_names = name, def->parameter = value;
    def->start = start, def->demands = d->demands;
    return status ? status : add_coefficients(d, def);
}

/* The rate of a coordinate belongs to the body that moves by it. */
static carom_status add_elements(draft *d, formula_def *def) {
    int *of_q = zeros(d, d->nq, sizeof *of_q);
    if (!of_q) return carom_error_memory(d->n->error);
    for (int k = 0; k < d->members.count; k++) {
        const member *m = &d->members.at[k];
        for (int i = 0; i < m->body.nq; i++) of_q[m->q + i] = m->element;
    }
    def->elements = d->elements, def->pieces = d->pieces, def->piece = d->piece;
    def->q_element = of_q;
    def->g_element = d->of[FORMULA_CONSTRAINT].element;
    def->gamma_element = d->of[FORMULA_VELOCITY_CONSTRAINT].element;
    def->contact_element = d->of[FORMULA_GAP].element;
    return CAROM_OK;
}

static carom_status create(draft *d) {
    const formulas *of = d->of;
    const int *support_row = support_rows(d);
    if (!support_row) return carom_error_memory(d->n->error);
    draft_place_loads(d);
    formula_def def = {
        .g = d->n->g,
        .nq = d->nq,
        .nu = d->nu,
        .ng = of[FORMULA_CONSTRAINT].count,
        .ngamma = of[FORMULA_VELOCITY_CONSTRAINT].count,
        .contacts = of[FORMULA_GAP].count,
        .q_names = d->q_names,
        .u_names = d->u_names,
        .g_names = of[FORMULA_CONSTRAINT].names,
        .gamma_names = of[FORMULA_VELOCITY_CONSTRAINT].names,
        .g_owners = of[FORMULA_CONSTRAINT].owners,
        .gamma_owners = of[FORMULA_VELOCITY_CONSTRAINT].owners,
        .contact = d->contact,
        .q0 = d->q0,
        .u0 = d->u0,
        .q_dot = d->own == d->nq && d->nu == d->nq ? NULL : of[FORMULA_Q_DOT].at,
        .rotations = d->rotations,
        .rotation = d->rotation,
        .kinetic = of[FORMULA_KINETIC].at[0],
        .potential = of[FORMULA_POTENTIAL].count ? of[FORMULA_POTENTIAL].at[0] : -1,
        .dissipation = of[FORMULA_DISSIPATION].count ? of[FORMULA_DISSIPATION].at[0] : -1,
        .force = of[FORMULA_FORCE].at,
        .g_expr = of[FORMULA_CONSTRAINT].at,
        .gamma = of[FORMULA_VELOCITY_CONSTRAINT].at,
        .gap = of[FORMULA_GAP].at,
        .slip = of[FORMULA_SLIP].at,
        .displacement = of[FORMULA_SLIP].count && of[FORMULA_DISPLACEMENT].count == of[FORMULA_SLIP].count
                            ? of[FORMULA_DISPLACEMENT].at
                            : NULL,
        .slip_scale = d->scaled ? d->scale : NULL,
        .curves = d->curves,
        .curve = d->curve,
        .contact_curve = d->contact_curve,
        .restitution = d->by_speed ? d->restitution : NULL,
        .sequential = d->sequential,
        .elastics = d->elastics,
        .elastic = d->elastic,
        .elastic_number = d->elastic_number,
        .found_numbers = d->found_numbers,
        .found_number = d->found_number,
        .symmetries = d->nu ? of[FORMULA_SYMMETRY].count / d->nu : 0,
        .symmetry_names = of[FORMULA_SYMMETRY].names,
        .symmetry = of[FORMULA_SYMMETRY].at,
        .observables = of[FORMULA_OBSERVABLE].count,
        .observable_names = of[FORMULA_OBSERVABLE].names,
        .observable = of[FORMULA_OBSERVABLE].at,
        .anchors = d->anchors,
        .anchor_q = d->anchor,
        .anchor = of[FORMULA_ANCHOR].at,
        .latches = d->latches,
        .latch = d->latch,
        .slacks = d->slacks,
        .supports = d->supports,
        .support_row = support_row,
        .support_kind = support_row + d->supports,
        .support = of[FORMULA_SUPPORT].at,
    };
    formula_part part = FORMULA_NONE;
    int index = 0;
    carom_error problem = {0};
    carom_status status = add_parameters(d, &def);
    if (!status) status = add_elements(d, &def);
    if (status) return status;
    status = formula_model_create(&def, &d->scene->model, &part, &index, &problem);
    if (!status) return CAROM_OK;
    *d->n->error = problem;
    if (status != CAROM_DATA) return status;
    /* of an energy, index is a velocity */
    const node *where = part == FORMULA_NONE ? NULL : of[part].where[index < of[part].count ? index : 0];
    return node_error(d->n->error, where ? where : d->model->key, "%s", problem.message);
}

/* All that the scene says about the model. */
static carom_status read_model(draft *d, bool *consistent) {
    static const char *const starts[] = {"as_given", "consistent", NULL};
    static const char *const impacts[] = {"together", "sequential", NULL};
    const element model = {.value = d->model};
    int start = 0, order = 0;
    carom_status status = check_word(d->model, "the model", "scene", "model", d->n->error);
    if (!status) status = read_word(d, &model, "start", "way to start", starts, &start);
    if (!status) status = read_word(d, &model, "impacts", "order of impacts", impacts, &order);
    d->sequential = order == 1, *consistent = start == 1;
    if (!status) status = draft_names(d);
    /* energies and forces by formulas first: those of elements are added to them */
    if (!status) status = draft_add_formulas(d);
    if (!status) status = draft_add_bodies(d);
    if (!status) status = draft_add_springs(d);
    if (!status) status = draft_add_loads(d);
    if (!status && !d->of[FORMULA_KINETIC].count)
        status = node_error(d->n->error, d->model->key, "the model has no 'kinetic' energy");
    /* rows in the order in which they are recorded, formulas before elements; joints have motors and limits, too */
    if (!status) status = draft_add_symmetries(d);
    if (!status) status = draft_add_constraints(d);
    if (!status) status = draft_add_joints(d);
    if (!status) status = draft_add_contacts(d);
    if (!status) status = draft_add_rolling(d);
    if (!status) status = draft_add_observables(d);
    if (!status) status = draft_add_asked(d);
    /* bodies are drawn on their own unless something else has drawn them */
    return status ? status : draft_finish_drawing(d);
}

/* The model, and whether it can start. */
static carom_status make_model(draft *d, bool consistent) {
    carom_scene *scene = d->scene;
    names *n = d->n;
    scene->symbols = n->symbols;
    scene->g_where = d->of[FORMULA_CONSTRAINT].where;
    scene->gamma_where = d->of[FORMULA_VELOCITY_CONSTRAINT].where;
    scene->gap_where = d->of[FORMULA_GAP].where;
    carom_status status = create(d);
    if (status) return status;
    scene->model->finder = scene->finder, scene->model->demand = d->demand_text;
    status = check_mass(scene, d->of[FORMULA_KINETIC].where[0], n->error);
    if (!status && consistent) status = scene_start_consistent(scene, n->error);
    finiteness finite = {.rates = true, .energies = true, .forces = true};
    if (!status) status = start_finite(scene, &finite, n->error);
    if (!status && !(finite.energies && finite.forces)) scene->infinite = draft_infinite(d);
    return status;
}

carom_status build_model(carom_scene *scene, names *n, bool picture) {
    draft d = {.scene = scene, .n = n, .model = yaml_find(scene->root, "model")};
    bool consistent = false;
    if (!d.model) return node_error(n->error, scene->root, "the scene has no 'model'");
    carom_status status = read_model(&d, &consistent);
    scene->nq = d.nq, scene->q_names = d.q_names, scene->contact = d.contact;
    return status || picture ? status : make_model(&d, consistent);
}
