/* Trees put together from many: the same as by a search from entry to entry, and at a cost that does not grow. */
#include "carom/defs.h"
#include "scene/tree_index.h"
#include "support/trial.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the same as by definition */

static void merge(node *base, node *over) {
    for (node *entry = over->first, *next; entry; entry = next) {
        next = entry->next, entry->next = NULL;
        node **old = &base->first;
        while (*old && strcmp((*old)->key->text, entry->key->text)) old = &(*old)->next;
        if (*old && (*old)->kind == NODE_MAP && entry->kind == NODE_MAP) merge(*old, entry);
        else {
            if (*old) entry->next = (*old)->next;
            *old = entry;
        }
    }
}

static uint64_t seed;

static int choose(int n) { /* 0 .. n-1 */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

/* Few keys, so that maps and texts take each other's places. */
static node *random_tree(arena *memory, int depth) {
    const node nowhere = {.file = "test"};
    const bool map = depth > 0 && choose(3);
    node *tree =
        yaml_new(memory, map ? NODE_MAP : NODE_TEXT, map ? NULL : arena_format(memory, "%d", choose(1000)), &nowhere);
    node **tail = &tree->first;
    for (int k = 0, count = choose(4); map && k < 5 && count; k++) {
        if (choose(2)) continue;
        *tail = random_tree(memory, depth - 1);
        (*tail)->key = yaml_new(memory, NODE_TEXT, arena_format(memory, "key%d", k), &nowhere);
        tail = &(*tail)->next, count--;
    }
    return tree;
}

static node *random_map(arena *memory) {
    node *tree;
    do tree = random_tree(memory, 4);
    while (tree->kind != NODE_MAP);
    return tree;
}

static void trees_are_those_of_the_definition(void **state) {
    (void)state;
    for (int round = 0; round < 300; round++) {
        arena memory = {0};
        seed = (uint64_t)round + 1;
        node *root = random_map(&memory), *other = yaml_copy(&memory, root);
        tree_index *index = tree_index_create(root);
        for (int i = 0; i < 20; i++) {
            node *over = random_map(&memory);
            merge(other, yaml_copy(&memory, over));
            assert_true(tree_index_merge(index, over));
            char *a = yaml_emit(root), *b = yaml_emit(other);
            assert_string_equal(a, b);
            free(a), free(b);
        }
        for (const node *entry = root->first; entry; entry = entry->next)
            assert_ptr_equal(tree_index_find(index, root, entry->key->text), entry);
        assert_null(tree_index_find(index, root, "none"));
        tree_index_destroy(index);
        arena_release(&memory);
    }
}

/* ---- the cost */

/* Processor time to make a scene of n bodies by definitions. */
static double seconds_for(int n) {
    const clock_t begin = clock();
    carom_sketch *sketch = carom_sketch_create("many");
    carom_run_def run = carom_run_default();
    carom_scene *scene;
    carom_error error;
    for (int i = 0; i < n; i++) {
        char name[20];
        carom_body_def body = carom_default_body_def();
        snprintf(name, sizeof name, "b%d", i);
        body.name = name, body.type = "point", body.mass.number = 1;
        body.position[0].number = i, body.position[1].number = 0;
        carom_sketch_body(sketch, &body);
    }
    run.integrator = "moreau", run.dt = 0.1, run.until = 1;
    carom_sketch_run(sketch, &run);
    if (carom_sketch_scene(sketch, &scene, &error)) fail_msg("%s", error.message);
    carom_scene_destroy(scene);
    carom_sketch_destroy(sketch);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Eight times as many bodies: 8 times the cost if it is linear, 64 times if every one looks at all others. */
static void many_definitions_cost_no_more_each(void **state) {
    (void)state;
    const double few = fmin(seconds_for(2000), seconds_for(2000)), many = fmin(seconds_for(16000), seconds_for(16000));
    if (!(many < 24 * few)) fail_msg("2000 bodies take %g s, 16000 take %g s", few, many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_those_of_the_definition),
        cmocka_unit_test(many_definitions_cost_no_more_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
