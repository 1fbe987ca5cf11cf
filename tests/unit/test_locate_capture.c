/* Events that are looked for in vain: how much of it a run does (docs/theory/events.md, (V36)). */
#include "integrator/locate_inside.h"
#include "support/trial.h"

/* What a step spends whose states cannot be followed at any length: it is shortened up to twelve times. */
static long give_up(locate *l) {
    enum { TRIALS = 13 };
    l->now.vain = 0;
    for (int i = 0; i < TRIALS && !is_vain(l); i++) l->now.vain += LEAST_IN_VAIN;
    return l->now.vain;
}

/* Every step would be in vain. The first five that are tried may spend 600/(1 + p) and one trial step more, p = 0, 1,
 * 2, 4, 8; of 17 steps after that one tries, p = 16, and 600/17 are less than a trial step. */
static void work_in_vain_is_bounded(void **state) {
    (void)state;
    enum { STEPS = 10000 };
    locate l = {0};
    long work = 0, tried = 0;
    for (int i = 0; i < STEPS; i++) {
        if (l.now.pause > 0) {
            l.now.pause--;
            continue;
        }
        work += give_up(&l), tried++;
        impose_pause(&l);
    }
    assert_in_range(work, 600, 5 * (600 + LEAST_IN_VAIN) + LEAST_IN_VAIN * (STEPS / 17 + 1));
    assert_in_range(tried, STEPS / 17, STEPS / 17 + 6);
}

/* Steps that lead somewhere are never captured, and win back the patience of the run by and by. */
static void success_is_rewarded(void **state) {
    (void)state;
    locate l = {0};
    for (int i = 0; i < 8; i++) give_up(&l), impose_pause(&l);
    const long least = give_up(&l);
    for (int i = 0; i < 5; i++) {
        l.now.vain = 0;
        impose_pause(&l);
        assert_int_equal(l.now.pause, 0);
    }
    assert_int_equal(least, LEAST_IN_VAIN);
    assert_int_equal(give_up(&l), 13 * LEAST_IN_VAIN);
    assert_true(is_vain(&l)); /* also where all lengths of a step were tried */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_in_vain_is_bounded),
                                       cmocka_unit_test(success_is_rewarded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
