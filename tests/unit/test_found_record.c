/* Contacts that are found, in results. */
#include "carom/result.h"
#include "result/result.h"
#include "support/folder.h"
#include "support/trial.h"

#define FLOOR "{body: world, plane: [0, 0, 1]}"

/* The result holds, for every row, the contacts that the simulation tells. */
static void test_recorded(void **state) {
    (void)state;
    trial run =
        trial_text("carom: 1\nmodel:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                   "    b[i=1..3]: {type: spatial, mass: 1, shape: {sphere: 0.1}, position: [0.02*i, 0, 0.25*i]}\n"
                   "  contacts: {heap: {among: [b, " FLOOR "], friction: 0.3}}\n"
                   "run: {integrator: rattle, dt: 2e-3, until: 0.6, every: 3, record: [E]}\n");
    carom_result *result;
    double told[2] = {0}, held[2] = {0}, x;
    assert_int_equal(carom_result_create_run(in_folder("found.h5"), run.scene, run.sim, &result, NULL), CAROM_OK);
    while (!carom_sim_done(run.sim)) {
        carom_found contact[32];
        trial_stride(&run);
        const int count = carom_sim_found(run.sim, contact, 32);
        for (int i = 0; i < count && carom_sim_steps(run.sim) % 3 == 0; i++)
            told[0]++, told[1] += contact[i].PN * contact[i].normal[2];
        assert_int_equal(carom_result_take(result, NULL), CAROM_OK);
    }
    assert_int_equal(carom_result_finish(result, NULL, NULL), CAROM_OK);
    trial_close(&run);
    result_reader *r = NULL;
    assert_int_equal(result_open(in_folder("found.h5"), &r, NULL), CAROM_OK);
    result_reader *found = result_found(r);
    assert_non_null(found);
    for (long i = 0; i < result_rows(found); i++) {
        double of_row[2];
        static const char *const parts[] = {"PN", "nz"};
        for (int k = 0; k < 2; k++)
            assert_int_equal(result_read(found, result_find(found, parts[k]), i, 1, &of_row[k], NULL), CAROM_OK);
        held[0]++, held[1] += of_row[0] * of_row[1];
    }
    assert_int_equal(result_read(found, result_find(found, "first"), 0, 1, &x, NULL), CAROM_OK);
    assert_string_equal(result_kind(found, (int)x), "b1");
    assert_string_equal(result_contact(found, 0), "heap");
    assert_true(held[0] == told[0] && held[1] == told[1] && told[0] > 50);
    result_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
