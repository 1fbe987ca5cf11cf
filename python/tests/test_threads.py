"""Simulations in threads: steps release the interpreter, and one simulation serves one thread at a time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import carom
import pytest

SCENE = "scenes/paper/rattle/slider_crank.yaml"


def test_the_interpreter_goes_on_during_a_run():
    sim = carom.load(SCENE).simulation(dt=1e-6, until=100)
    stop = []
    worker = threading.Thread(target=lambda: pytest.raises(carom.Stopped, sim.run, record=False), daemon=True)
    count = [0]
    sim.on_step(lambda sim, moment, event: not stop)
    worker.start()
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        count[0] += 1
    with pytest.raises(carom.Error, match="another thread"):
        sim.step()
    stop.append(True)
    worker.join(timeout=30)
    assert not worker.is_alive() and sim.steps > 10 and count[0] > 10


def test_a_pool_gives_the_bits_of_one_thread():
    scene = carom.load(SCENE)

    def end(mu):
        sim = scene.simulation(until=5e-3)
        sim.parameters["mu"] = mu
        sim.restart()
        sim.run(record=False)
        return sim.state.tobytes()

    values = [0.01 * i for i in range(1, 9)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(end, values)) == [end(mu) for mu in values]
