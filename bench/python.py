"""What the Python package costs: its steps, runs, models and callbacks, beside C and the command line.

    scripts/bench python

Microseconds and milliseconds of processor time, which other work on the machine hardly changes; each is the least of several measurements, taken in turns.
"""
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "python"))
import carom  # noqa: E402
from carom._program import program  # noqa: E402

CRANK = os.path.join(ROOT, "scenes/paper/rattle/slider_crank.yaml")
BALL = {"model": {"coordinates": {"x": {"start": 1}}, "kinetic": "x_dot^2/2", "potential": "2*x^2"},
        "run": {"integrator": "rattle", "dt": 1e-2, "until": 1e6}}
STEPS = 2000


def cost(work):
    """Processor time of this process and of those that it waits for."""
    start = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (time.process_time() - start[0] + children.ru_utime - start[1].ru_utime + children.ru_stime - start[1].ru_stime)


def least(*works, times=9):
    """Of each of them, taken in turns."""
    found = [float("inf")] * len(works)
    for _ in range(times):
        found = [min(best, cost(work)) for best, work in zip(found, works)]
    return found


def say(what, text):
    print(f"{what:64s}{text}")


def stepping(sim):
    """Microseconds of a step, by sim.step() and by sim.run()."""
    def single():
        for _ in range(STEPS):
            sim.step()

    def together():
        sim.run(until=sim.t + (STEPS - 0.5) * sim.dt, record=False)

    return [value / STEPS * 1e6 for value in least(single, together, times=15)]


def steps():
    single, together = stepping(carom.Scene(BALL).simulation())
    say("sim.step(), more than the same step in C", f"{single - together:.2f} us")
    sim = carom.Scene(BALL).simulation()
    sim.on_step(lambda sim, moment, event: None)
    say("a function for on_step that does nothing, per step (two calls)", f"{stepping(sim)[1] - together:.2f} us")


def functions():
    calls = [0]

    def force(t, q, u):
        calls[0] += 1
        return -0.1 * u[0]

    bare = stepping(carom.Scene(BALL).simulation())[1]
    for name, more in (("differences", {}), ("derivatives given",
                                             {"force_q": lambda t, q, u: [[0.0]], "force_u": lambda t, q, u: [[-0.1]]})):
        sim = carom.Scene(BALL).with_force(force, on="x", **more).simulation()
        before, step = calls[0], sim.steps
        spent = stepping(sim)[1] - bare
        each = (calls[0] - before) / (sim.steps - step)
        say(f"a function for with_force, {name}, per step", f"{spent:.1f} us, with {each:.1f} calls of it")
    model = carom.Model(q0=[1.0], mass=[[1.0]], force=lambda t, q, u: -4 * q).simulation("rattle", dt=1e-2, until=1e6)
    say("carom.Model, the same motion, a step", f"{stepping(model)[1]:.1f} us, by formulas {bare:.2f} us")


def run_in_one_call(folder):
    """The same run with the same file, by the command and by the package."""
    out = os.path.join(folder, "r.h5")
    words = [program(), "run", CRANK, "--quiet", "--out", out, "--set", "run.dt=1e-6"]
    command, start, package = least(
        lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL),
        lambda: subprocess.run([program(), "--version"], check=True, stdout=subprocess.DEVNULL),
        lambda: carom.load(CRANK, set={"run.dt": 1e-6}).simulation().run(record=False, out=out), times=5)
    say("a run in one call, with its file, against the command line", f"{package * 1e3:.0f} ms and {(command - start) * 1e3:.0f} ms, ratio {package / (command - start):.3f}")


def strings(folder):
    """The slider-crank from a file, and the same entries as a dict of strings."""
    import yaml

    with open(CRANK, encoding="utf-8") as file:
        entries = yaml.safe_load(carom.Scene.parse(file.read(), "crank").to_yaml())
    path = os.path.join(folder, "crank.yaml")
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(entries, file, sort_keys=False)
    load, put = least(lambda: carom.load(path), lambda: carom.Scene(entries).parameters)
    say("a scene from strings in Python, against a YAML file: to make", f"{put * 1e3:.2f} ms and {load * 1e3:.2f} ms, ratio {put / load:.3f}")
    sims = carom.load(path).simulation(dt=1e-6, until=1), carom.Scene(entries).simulation(dt=1e-6, until=1)
    of_file, of_strings = least(*(lambda sim=sim: sim.run(until=sim.t + 1e-3, record=False) for sim in sims))
    say("                                                  to run", f"{of_strings * 1e3:.2f} ms and {of_file * 1e3:.2f} ms, ratio {of_strings / of_file:.3f}")
    assert sims[0].state.tobytes() == sims[1].state.tobytes(), "the two scenes do not move alike"


def threads():
    """Processors in use while as many threads step as there are: threads that wait for each other use one. Other work on the machine lowers it."""
    count = len(os.sched_getaffinity(0))
    scene = carom.load(CRANK)
    sims = [scene.simulation(dt=1e-6, until=1) for _ in range(count)]

    def work(sim):
        sim.run(until=sim.t + 5e-3, record=False)

    def pool():
        workers = [threading.Thread(target=work, args=(sim,)) for sim in sims]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    best = 0.0
    for _ in range(9):
        wall, spent = time.perf_counter(), time.process_time()
        pool()
        best = max(best, (time.process_time() - spent) / (time.perf_counter() - wall))
    say(f"{count} threads with a simulation each, processors in use", f"{best:.2f} of {count}")


def main():
    steps()
    functions()
    with tempfile.TemporaryDirectory() as folder:
        run_in_one_call(folder)
        strings(folder)
    threads()


if __name__ == "__main__":
    main()
