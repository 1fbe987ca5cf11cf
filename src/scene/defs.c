/* The public side of definitions: defaults, and adding them to a sketch. */
#include "def.h"
#include "sketch.h"

#include <assert.h>

carom_value carom_number(double number) {
    return (carom_value){.number = number};
}

carom_value carom_formula(const char *formula) {
    return (carom_value){.formula = formula};
}

/* ---- defaults: nothing given */

#define DEFAULT(kind)                                                                                                  \
    carom_##kind##_def carom_default_##kind##_def(void) {                                                              \
        carom_##kind##_def def;                                                                                        \
        def_clear(&def_##kind, &def);                                                                                  \
        return def;                                                                                                    \
    }

DEFAULT(shape)
DEFAULT(body)
DEFAULT(frame)
DEFAULT(joint)
DEFAULT(spring)
DEFAULT(load)
DEFAULT(contact)
DEFAULT(rolling)
DEFAULT(chain)
DEFAULT(beam)
DEFAULT(bar)
DEFAULT(join)
DEFAULT(coordinate)
DEFAULT(velocity)
DEFAULT(gap)
DEFAULT(symmetry)
DEFAULT(drawing)
DEFAULT(system)
DEFAULT(report)

/* ---- adding */

static void add(carom_sketch *sketch, const def_type *type, const char *name, const void *def) {
    const node *twice = NULL;
    assert_alive(sketch);
    const node *tree = def_tree(&sketch->memory, sketch->name, type, name, def, &twice);
    sketch_add_tree(sketch, tree, twice);
}

#define ADD(kind)                                                                                                      \
    void carom_sketch_##kind(carom_sketch *sketch, const carom_##kind##_def *def) {                                    \
        assert(def->name && "a definition needs a name");                                                              \
        add(sketch, &def_##kind, def->name, def);                                                                      \
    }

ADD(body)
ADD(frame)
ADD(joint)
ADD(spring)
ADD(load)
ADD(contact)
ADD(rolling)
ADD(chain)
ADD(beam)
ADD(bar)
ADD(join)
ADD(coordinate)
ADD(velocity)
ADD(gap)
ADD(symmetry)
ADD(drawing)

void carom_sketch_system(carom_sketch *sketch, const carom_system_def *def) {
    add(sketch, &def_system, NULL, def);
}

void carom_sketch_report(carom_sketch *sketch, const carom_report_def *def) {
    add(sketch, &def_report, NULL, def);
}

void carom_sketch_formula(carom_sketch *sketch, carom_formula_kind kind, const char *name, carom_value value) {
    assert_alive(sketch);
    sketch_add_tree(sketch, def_formula_tree(&sketch->memory, sketch->name, kind, name, value), NULL);
}

void carom_sketch_run(carom_sketch *sketch, const carom_run_def *run) {
    const node *twice = NULL;
    assert_alive(sketch);
    const node *tree = def_run_tree(&sketch->memory, sketch->name, run, &twice);
    sketch_add_tree(sketch, tree, twice);
}
