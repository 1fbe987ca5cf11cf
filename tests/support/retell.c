#include "retell.h"

#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHAPES = 8, MOST_ENTRIES = 64 };

/* ---- values */

/* Numbers as numbers, everything else as formulas. */
static carom_value value_of(const node *n) {
    char *end;
    assert_int_equal(n->kind, NODE_TEXT);
    double number = strtod(n->text, &end);
    bool is_number = *n->text && !*end && strspn(n->text, "0123456789.eE+-") == strlen(n->text);
    return is_number ? carom_number(number) : carom_formula(n->text);
}

static bool take_values(const node *n, carom_value *v, size_t most) {
    if (n->kind != NODE_LIST) return v[0] = value_of(n), true;
    assert_in_range(yaml_count(n), 1, most);
    for (const node *item = n->first; item; item = item->next) *v++ = value_of(item);
    return true;
}

static bool take_rows(const node *n, carom_value (*row)[3]) {
    for (const node *item = n->first; item; item = item->next) take_values(item, *row++, 3);
    return true;
}

static bool take_texts(const node *n, const char **text) {
    for (const node *item = n->first; item; item = item->next) *text++ = item->text;
    return true;
}

#define IS(name) (!strcmp(e->key->text, name))
#define VALUES(f) (IS(#f) && take_values(e, (carom_value *)&def.f, sizeof def.f / sizeof(carom_value)))
#define ROWS(f) (IS(#f) && take_rows(e, def.f))
#define TEXT(f) (IS(#f) && (def.f = e->text))
#define TEXTS(f) (IS(#f) && take_texts(e, def.f))
#define EACH(map) for (const node *e = (map)->first; e; e = e->next)
#define UNKNOWN(map) fail_msg("%s:%d: no definition can say '%s'", (map)->file, (map)->line, e->key->text)

/* ---- parts */

static void take_rotation(const node *map, carom_rotation_def *r) {
    if (map->kind == NODE_LIST) {
        take_values(map, r->quaternion, 4);
        return;
    }
#define def (*r)
    EACH(map) if (!(VALUES(axis) || VALUES(angle) || TEXT(euler) || VALUES(angles))) UNKNOWN(map);
#undef def
}

static void take_friction(const node *map, carom_friction_def *f) {
#define def (*f)
    EACH(map)
    if (!(VALUES(kinetic) || VALUES(along) || VALUES(factor) || (IS("static") && take_values(e, &f->static_, 1))))
        UNKNOWN(map);
#undef def
}

static void take_breaks(const node *map, carom_breaks_def *b) {
#define def (*b)
    EACH(map) if (!(VALUES(force) || VALUES(torque) || VALUES(impulse))) UNKNOWN(map);
#undef def
}

static void take_round(const node *map, carom_round_def *r) {
#define def (*r)
    EACH(map) if (!(VALUES(radius) || VALUES(length))) UNKNOWN(map);
#undef def
}

/* Hulls keep their points until the scene is made: so many in all. */
static const carom_value (*take_corners(const node *list, int *count))[3] {
    static carom_value corners[4096][3];
    static int used;
    const int first = used;
    used += *count = yaml_count(list);
    assert_true(used <= 4096);
    for (int i = first; i < used; i++)
        for (int j = 0; j < 3; j++) corners[i][j] = carom_default_shape_def().sphere;
    take_rows(list, corners + first);
    return (const carom_value(*)[3])corners + first;
}

static void take_shape(const node *map, carom_shape_def *s) {
#define def (*s)
    EACH(map) {
        if (VALUES(point) || VALUES(sphere) || VALUES(disk) || VALUES(box) || VALUES(plane) || VALUES(ellipsoid) ||
            VALUES(at) || VALUES(axis) || VALUES(points) || VALUES(scale))
            continue;
        if (IS("cylinder")) take_round(e, &s->cylinder);
        else if (IS("capsule")) take_round(e, &s->capsule);
        else if (IS("hull") && e->kind == NODE_TEXT) s->mesh = e->text;
        else if (IS("hull")) s->hull = take_corners(e, &s->hull_points);
        else if (IS("rotation")) take_rotation(e, &s->rotation);
        else if (IS("hole")) s->hole = !strcmp(e->text, "true");
        else if (!IS("body")) UNKNOWN(map); /* of a partner */
    }
#undef def
}

static int take_shapes(const node *n, carom_shape_def *shape) {
    int count = 0;
    bool list = n->kind == NODE_LIST;
    for (const node *map = list ? n->first : n; map; map = list ? map->next : NULL) {
        assert_true(count < MOST_SHAPES);
        shape[count] = carom_default_shape_def();
        take_shape(map, &shape[count++]);
    }
    return count;
}

static void take_beam(const node *map, carom_partner_def *partner) {
#define def (*partner)
    EACH(map)
    if (!(TEXT(beam) || (IS("radius") && take_values(e, &partner->shape.radius, 1)) ||
          (IS("points") && take_values(e, &partner->shape.points, 1))))
        UNKNOWN(map);
#undef def
}

static void take_partners(const node *list, carom_partner_def *partner) {
    for (const node *item = list->first; item; item = item->next, partner++) {
        if (item->kind == NODE_MAP && yaml_find(item, "beam")) {
            take_beam(item, partner);
            continue;
        }
        partner->body = item->kind == NODE_MAP ? yaml_find(item, "body")->text : item->text;
        if (item->kind == NODE_MAP) take_shape(item, &partner->shape);
    }
}

/* One list of partners, or two. Lists are kept until the definition is added. */
static void take_groups(const node *list, carom_partners_def group[2]) {
    static carom_partner_def partner[2][MOST_ENTRIES];
    const bool two = list->first->kind == NODE_LIST;
    for (int k = 0; k < (two ? 2 : 1); k++) {
        const node *of = !two ? list : k ? list->first->next : list->first;
        assert_true(yaml_count(of) <= MOST_ENTRIES);
        for (int i = 0; i < MOST_ENTRIES; i++) partner[k][i].shape = carom_default_shape_def();
        take_partners(of, partner[k]);
        group[k] = (carom_partners_def){partner[k], yaml_count(of)};
    }
}

/* ---- entries: body(sketch, map) adds the definition that the map of a body gives */

#define BEGIN(kind)                                                                                                    \
    carom_##kind##_def def = carom_default_##kind##_def();                                                             \
    def.name = map->key->text;                                                                                         \
    EACH(map)

static void body(carom_sketch *sketch, const node *map) {
    carom_shape_def shape[MOST_SHAPES];
    BEGIN(body) {
        if (TEXT(type) || VALUES(mass) || VALUES(density) || VALUES(center) || VALUES(position) || VALUES(velocity) ||
            VALUES(angle) || VALUES(angular_velocity) || VALUES(angular_velocity_world))
            continue;
        if (IS("inertia") && e->first && e->first->kind == NODE_LIST) take_rows(e, def.inertia_matrix);
        else if (IS("inertia")) take_values(e, def.inertia, 3);
        else if (IS("rotation")) take_rotation(e, &def.rotation);
        else if (IS("shape")) def.shapes = take_shapes(e, shape), def.shape = shape;
        else UNKNOWN(map);
    }
    carom_sketch_body(sketch, &def);
}

static void frame(carom_sketch *sketch, const node *map) {
    carom_shape_def shape[MOST_SHAPES];
    BEGIN(frame) {
        if (VALUES(position)) continue;
        if (IS("rotation")) take_rotation(e, &def.rotation);
        else if (IS("shape")) def.shapes = take_shapes(e, shape), def.shape = shape;
        else UNKNOWN(map);
    }
    carom_sketch_frame(sketch, &def);
}

static void joint(carom_sketch *sketch, const node *map) {
    BEGIN(joint) {
        if (TEXT(type) || TEXTS(bodies) || VALUES(at) || VALUES(axis) || VALUES(axis2) || ROWS(points) || ROWS(axes) ||
            VALUES(angle) || VALUES(displacement) || VALUES(length) || VALUES(speed) || VALUES(torque) ||
            VALUES(force) || VALUES(spring) || VALUES(rest) || VALUES(damper) || VALUES(limits) ||
            VALUES(restitution) || VALUES(offset) || VALUES(angle2) || VALUES(speed2) || VALUES(torque2) ||
            VALUES(spring2) || VALUES(rest2) || VALUES(damper2) || VALUES(limits2) || VALUES(offset2) ||
            VALUES(radius) || VALUES(preload) || TEXT(impact))
            continue;
        if (IS("breaks")) take_breaks(e, &def.breaks);
        else if (IS("friction") && e->kind == NODE_MAP) take_friction(e, &def.friction_by);
        else if (!VALUES(friction)) UNKNOWN(map);
    }
    carom_sketch_joint(sketch, &def);
}

static void spring(carom_sketch *sketch, const node *map) {
    BEGIN(spring)
    if (!(TEXTS(between) || ROWS(points) || ROWS(ends) || VALUES(stiffness) || VALUES(length) || VALUES(damping) ||
          VALUES(force)))
        UNKNOWN(map);
    carom_sketch_spring(sketch, &def);
}

static void load(carom_sketch *sketch, const node *map) {
    BEGIN(load) if (!(TEXT(body) || VALUES(at) || VALUES(force) || VALUES(torque) || TEXT(frame))) UNKNOWN(map);
    carom_sketch_load(sketch, &def);
}

/* friction, frictions or friction_by */
static bool friction_of_contact(const node *e, carom_value *one, carom_value *several, carom_friction_def *by) {
    if (!IS("friction")) return false;
    if (e->kind == NODE_MAP) return take_friction(e, by), true;
    return take_values(e, e->kind == NODE_LIST ? several : one, 3);
}
#define FRICTION() friction_of_contact(e, &def.friction, def.frictions, &def.friction_by)

static void between(carom_sketch *sketch, const node *map) {
    BEGIN(contact) {
        if (VALUES(restitution) || VALUES(tangential_restitution) || TEXT(law) || TEXT(impact) || VALUES(drilling) ||
            VALUES(rolling) || VALUES(rest) || VALUES(adhesion) || VALUES(belt) || VALUES(grain))
            continue;
        if (IS("between")) take_partners(e, def.between);
        else if (IS("among")) take_groups(e, def.among);
        else if (IS("slips")) def.slips = !strcmp(e->text, "true");
        else if (!FRICTION()) UNKNOWN(map);
    }
    carom_sketch_contact(sketch, &def);
}

static void gap(carom_sketch *sketch, const node *map) {
    BEGIN(gap) {
        if (VALUES(gap) || VALUES(slip) || VALUES(displacement) || VALUES(restitution) || VALUES(adhesion) ||
            VALUES(tangential_restitution) || VALUES(rest) || TEXT(law) || TEXT(impact) || TEXT(unit) || FRICTION())
            continue;
        if (IS("draw")) {
            take_values(yaml_find(e, "at"), def.draw.at, 3);
            take_values(yaml_find(e, "normal"), def.draw.normal, 3);
            if (yaml_find(e, "tangent1")) take_values(yaml_find(e, "tangent1"), def.draw.tangent1, 3);
            if (yaml_find(e, "tangent2")) take_values(yaml_find(e, "tangent2"), def.draw.tangent2, 3);
        } else UNKNOWN(map);
    }
    carom_sketch_gap(sketch, &def);
}

static void contact(carom_sketch *sketch, const node *map) {
    if (yaml_find(map, "between") || yaml_find(map, "among")) between(sketch, map);
    else gap(sketch, map);
}

static void rolling(carom_sketch *sketch, const node *map) {
    BEGIN(rolling) {
        if (IS("between")) take_partners(e, def.between);
        else UNKNOWN(map);
    }
    carom_sketch_rolling(sketch, &def);
}

static void chain(carom_sketch *sketch, const node *map) {
    BEGIN(chain)
    if (IS("breaks")) take_breaks(e, &def.breaks);
    else if (!(VALUES(links) || VALUES(from) || VALUES(to) || VALUES(curve) || VALUES(mass) || VALUES(radius) ||
               TEXTS(ends) || ROWS(points)))
        UNKNOWN(map);
    carom_sketch_chain(sketch, &def);
}

static void beam_start(const node *map, carom_beam_start_def *start) {
#define def (*start)
    EACH(map) {
        if (VALUES(strain) || VALUES(after)) continue;
        if (!IS("then")) UNKNOWN(map);
        else if (yaml_find(e, "position")) take_values(yaml_find(e, "position"), start->then.position, 3);
        if (IS("then")) take_values(yaml_find(e, "strain"), start->then.strain, 6);
    }
#undef def
}

static void section(const node *map, carom_section_def *s) {
#define def (*s)
    EACH(map)
    if (!(VALUES(circle) || VALUES(rectangle) || VALUES(area) || VALUES(bending) || VALUES(torsion))) UNKNOWN(map);
#undef def
}

static void beam(carom_sketch *sketch, const node *map) {
    BEGIN(beam) {
        if (TEXT(type) || VALUES(elements) || VALUES(from) || VALUES(to) || VALUES(curve) || VALUES(up) ||
            VALUES(young) || VALUES(shear) || VALUES(poisson) || VALUES(density) || VALUES(shear_factor) ||
            VALUES(stiffness) || VALUES(mass_per_length) || VALUES(inertia_per_length) || TEXT(mass) ||
            VALUES(damping) || VALUES(viscosity) || VALUES(velocity) || VALUES(angular_velocity))
            continue;
        if (IS("section")) section(e, &def.section);
        else if (IS("start")) beam_start(e, &def.start);
        else UNKNOWN(map);
    }
    carom_sketch_beam(sketch, &def);
}

static void bar(carom_sketch *sketch, const node *map) {
    BEGIN(bar) {
        if (VALUES(elements) || VALUES(from) || VALUES(to) || VALUES(mass_per_length) || VALUES(stiffness) ||
            VALUES(energy) || VALUES(velocity))
            continue;
        if (!IS("tips")) UNKNOWN(map);
        else if (yaml_find(e, "start")) def.tips.start = value_of(yaml_find(e, "start"));
        if (IS("tips") && yaml_find(e, "end")) def.tips.end = value_of(yaml_find(e, "end"));
    }
    carom_sketch_bar(sketch, &def);
}

static void join(carom_sketch *sketch, const node *map) {
    BEGIN(join) if (!(VALUES(between) || VALUES(split) || VALUES(restitution))) UNKNOWN(map);
    carom_sketch_join(sketch, &def);
}

static void coordinate(carom_sketch *sketch, const node *map) {
    BEGIN(coordinate) if (!(VALUES(start) || VALUES(velocity) || TEXT(unit))) UNKNOWN(map);
    carom_sketch_coordinate(sketch, &def);
}

static void velocity(carom_sketch *sketch, const node *map) {
    BEGIN(velocity) if (!(VALUES(start) || TEXT(unit))) UNKNOWN(map);
    carom_sketch_velocity(sketch, &def);
}

static void symmetry(carom_sketch *sketch, const node *map) {
    carom_entry moves[MOST_ENTRIES];
    BEGIN(symmetry) {
        if (VALUES(translate) || VALUES(rotate) || VALUES(about)) continue;
        assert_true(def.move_count < MOST_ENTRIES);
        moves[def.move_count++] = (carom_entry){e->key->text, value_of(e)};
        def.moves = moves;
    }
    carom_sketch_symmetry(sketch, &def);
}

static const carom_value (*take_points(const node *list, carom_value (*point)[3], int *count))[3] {
    assert_in_range(yaml_count(list), 2, MOST_ENTRIES);
    for (int i = 0; i < MOST_ENTRIES; i++)
        for (int j = 0; j < 3; j++) point[i][j] = carom_default_shape_def().sphere;
    take_rows(list, point);
    *count = yaml_count(list);
    return (const carom_value(*)[3])point;
}

/* Families of points are left out: a program writes the points. */
static void drawing(carom_sketch *sketch, const node *map) {
    carom_value points[MOST_ENTRIES][3];
    if (yaml_find(map, "line") && yaml_find(map, "line")->kind == NODE_MAP) return;
    if (yaml_find(map, "polygon") && yaml_find(map, "polygon")->kind == NODE_MAP) return;
    BEGIN(drawing) {
        if (ROWS(spring) || VALUES(path) || TEXT(text) || VALUES(circle) || VALUES(disk) || VALUES(sphere) ||
            VALUES(box) || VALUES(plane) || VALUES(at) || VALUES(angle) || VALUES(axis) || VALUES(radius))
            continue;
        if (IS("line")) def.line = take_points(e, points, &def.line_points);
        else if (IS("polygon")) def.polygon = take_points(e, points, &def.polygon_points);
        else if (IS("capsule")) take_round(e, &def.capsule);
        else if (IS("cylinder")) take_round(e, &def.cylinder);
        else if (IS("rotation")) take_rotation(e, &def.rotation);
        else if (IS("ground")) def.ground = !strcmp(e->text, "true");
        else UNKNOWN(map);
    }
    carom_sketch_drawing(sketch, &def);
}

/* A list under one name is several of them. */
static void formula(carom_sketch *sketch, carom_formula_kind kind, const node *e) {
    char name[120];
    int i = 0;
    if (e->kind != NODE_LIST) {
        carom_sketch_formula(sketch, kind, e->key->text, kind == CAROM_UNIT ? carom_formula(e->text) : value_of(e));
        return;
    }
    for (const node *item = e->first; item; item = item->next) {
        snprintf(name, sizeof name, "%s%d", e->key->text, ++i);
        carom_sketch_formula(sketch, kind, name, value_of(item));
    }
}

/* ---- scenes */

static void add_model(carom_sketch *sketch, const node *model) {
    static const struct {
        const char *map;
        void (*add)(carom_sketch *sketch, const node *map);
    } kinds[] = {{"bodies", body},         {"frames", frame},
                 {"joints", joint},        {"springs", spring},
                 {"loads", load},          {"contacts", contact},
                 {"rolling", rolling},     {"chains", chain},
                 {"beams", beam},          {"bars", bar},
                 {"joins", join},          {"coordinates", coordinate},
                 {"velocities", velocity}, {"symmetries", symmetry},
                 {"draw", drawing}};
    static const char *const formulas[] = {[CAROM_DEFINITION] = "define",
                                           [CAROM_KINEMATICS] = "kinematics",
                                           [CAROM_FORCE] = "forces",
                                           [CAROM_CONSTRAINT] = "constraints",
                                           [CAROM_VELOCITY_CONSTRAINT] = "velocity_constraints",
                                           [CAROM_OBSERVABLE] = "observe"};
    carom_system_def def = carom_default_system_def();
    EACH(model) {
        bool known = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (IS(kinds[k].map)) {
                known = true;
                for (const node *map = e->first; map; map = map->next) kinds[k].add(sketch, map);
            }
        for (int k = CAROM_DEFINITION; k <= CAROM_OBSERVABLE; k++)
            if (IS(formulas[k])) {
                known = true;
                for (const node *f = e->first; f; f = f->next) formula(sketch, (carom_formula_kind)k, f);
            }
        if (known) continue;
        if (!(VALUES(gravity) || VALUES(kinetic) || VALUES(potential) || VALUES(dissipation) || TEXT(start) ||
              TEXT(impacts)))
            UNKNOWN(model);
    }
    carom_sketch_system(sketch, &def);
}

/* Formulas of parameters for dt and the end are left to the scene: a run is given in numbers. */
static void add_run(carom_sketch *sketch, const carom_scene *scene, const node *root) {
    const char *texts[2][MOST_ENTRIES];
    carom_report_def report = carom_default_report_def();
    const node *run = yaml_find(root, "run"), *plot = yaml_find(root, "plot"), *record = yaml_find(run, "record");
    if (yaml_find(root, "title")) report.title = yaml_find(root, "title")->text;
    if (yaml_find(root, "description")) report.description = yaml_find(root, "description")->text;
    if (yaml_find(run, "every")) report.every = value_of(yaml_find(run, "every"));
    if (plot && plot->kind == NODE_LIST && yaml_count(plot) < MOST_ENTRIES)
        take_texts(plot, texts[0]), report.plot = texts[0], report.plots = yaml_count(plot);
    if (record && record->kind == NODE_LIST && yaml_count(record) < MOST_ENTRIES)
        take_texts(record, texts[1]), report.record = texts[1], report.records = yaml_count(record);
    carom_sketch_report(sketch, &report);
    carom_sketch_run(sketch, carom_scene_run(scene));
}

void retell(carom_sketch *sketch, const carom_scene *scene, const node *root) {
    static const struct {
        const char *map;
        carom_formula_kind kind;
    } formulas[] = {
        {"parameters", CAROM_PARAMETER}, {"inputs", CAROM_INPUT}, {"exact", CAROM_EXACT}, {"units", CAROM_UNIT}};
    static const char *const others[] = {"carom", "title", "description", "plot", "model", "run"};
    EACH(root) {
        bool known = false;
        for (int k = 0; k < 4; k++) known = known || IS(formulas[k].map);
        for (int k = 0; k < 6; k++) known = known || IS(others[k]);
        if (!known) UNKNOWN(root);
    }
    for (int k = 0; k < 4; k++)
        for (const node *e = yaml_find(root, formulas[k].map) ? yaml_find(root, formulas[k].map)->first : NULL; e;
             e = e->next)
            formula(sketch, formulas[k].kind, e);
    add_model(sketch, yaml_find(root, "model"));
    add_run(sketch, scene, root);
}
