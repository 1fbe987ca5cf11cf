"""What Python adds to a step. Other programs may take the processor: the shortest of several measurements counts."""

import time

import carom
from conftest import OSCILLATOR

STEPS = 2000


def shortest(what, times=15):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        what()
        best = min(best, time.perf_counter() - start)
    return best / STEPS


def test_a_step_costs_at_most_one_and_a_half_microseconds_more_than_in_c():
    sim = carom.Scene({**OSCILLATOR, "run": {"integrator": "moreau", "dt": 1e-2, "until": 1e6}}).simulation()

    def single():
        for _ in range(STEPS):
            sim.step()

    def together():  # the library's own loop
        sim.run(until=sim.t + (STEPS - 0.5) * 1e-2, record=False)

    alone, loop = shortest(single), shortest(together)
    print(f"a step from Python: {alone * 1e6:.2f} us, in C: {loop * 1e6:.2f} us")
    assert alone - loop < 1.5e-6
