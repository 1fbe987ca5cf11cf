"""Forces by functions of Python within scenes, called at every evaluation, against motions known in closed form."""

import math
import pickle
import subprocess
from concurrent.futures import ThreadPoolExecutor

import carom
import numpy as np
import pytest
from carom._program import program

FREE = {"parameters": {"m": 2, "a": 0.3}, "inputs": {"motor": 0},
        "model": {"coordinates": {"x": {"start": "a"}, "y": {}}, "kinetic": "m/2*(x_dot^2 + y_dot^2)",
                  "forces": {"y": "motor"}, "contacts": {"wall": {"gap": "x + 0.2", "restitution": 0.5}}},
        "run": {"integrator": "lobatto", "stages": 4, "events": "locate", "dt": 1e-2, "until": 0.7}}


def spring(t, q, u):
    return -8 * q[0]


@pytest.mark.parametrize("others", [
    {}, {"of": "x"}, {"force_q": lambda t, q, u: [[-8, 0]]},
    {"force_q": lambda t, q, u: [[-8, 0]], "force_u": lambda t, q, u: np.zeros((1, 2)), "of": ["x"]}])
def test_a_spring_by_python_oscillates(others):
    """2 x'' = -8 x. lobatto with 4 stages is of order 6: (w dt)^6 = 6e-11 times a small constant, hence 1e-12."""
    scene = carom.Scene(FREE).with_force(spring, on="x", **others)
    assert scene.check() == []
    sim = scene.simulation()
    result = sim.run()
    assert abs(result["x"] - 0.3 * np.cos(2 * result["t"])).max() < 1e-12
    assert abs(sim["work.forces"] - 4 * 0.09 * math.sin(1.4)**2) < 1e-4  # its work, by the trapezoidal rule


def test_contacts_parameters_and_inputs_stay():
    scene = carom.Scene(FREE).with_force(spring, on="x_dot")
    sim = scene.simulation(until=2)
    sim.parameters["m"] = 8  # x'' = -x
    sim.restart()
    sim.inputs["motor"] = 4
    sim.run(until=1.5)
    assert abs(sim.q[0] - 0.3 * math.cos(1.5)) < 1e-12 and abs(sim.q[1] - 0.25 * 1.5**2) < 1e-12
    result = scene.simulation(until=1.2).run()
    strike = math.acos(-2 / 3) / 2
    assert abs(result.events["t"][0] - strike) < 1e-12 and list(result.events["kind"]) == ["strike"]
    assert result.scene.startswith("# not said here: a force on x_dot by a function of Python\n")
    assert scene.replace(a=0.1).simulation().run()["x"].min() == pytest.approx(0.1 * math.cos(1.4), abs=1e-12)


def test_two_forces_and_spatial_bodies():
    """A couple about z turns a box: w = t M/J; a force lifts it with the second function."""
    scene = (carom.Scene().body("box", box=(0.1, 0.2, 0.3), mass=2, position=(0, 0, 0))
             .run(integrator="rattle", dt=1e-3, until=0.5)
             .with_force(lambda t, q, u: 0.01, on="box.wz").with_force(lambda t, q, u: [1, 0, 4], on=["box.x", "box.y", "box.z"]))
    sim = scene.simulation()
    sim.run(record=False)
    inertia = 2 * (0.1**2 + 0.2**2) / 12
    assert abs(sim["box.wz"] - 0.5 * 0.01 / inertia) < 1e-9
    assert np.allclose(sim["box.velocity"], [0.25, 0, 1], rtol=0, atol=1e-9)


def test_exceptions_arrive_unchanged():
    problem = ZeroDivisionError("mine")

    def force(t, q, u):
        if t > 0.0305:
            raise problem
        return 0.0

    sim = carom.Scene({**FREE, "run": {"dt": 1e-2}}).with_force(force, on="x").simulation()
    with pytest.raises(ZeroDivisionError) as caught:
        sim.run()
    assert caught.value is problem and sim.steps == 3 and caught.value.result["t"][-1] == sim.t == 0.03
    sim.set_state(t=-1)
    sim.step()  # and it goes on
    assert sim.steps == 4


def test_a_force_that_is_no_number_ends_the_step():
    scene = carom.Scene({**FREE, "run": {"dt": 1e-2}})
    sim = scene.with_force(lambda t, q, u: math.nan if t > 0.1 else 0, on="x").simulation(integrator="moreau")
    with pytest.raises(carom.StepError):
        sim.run()
    assert 0.09 < sim.t < 0.11 and np.isfinite(sim.q).all()


@pytest.mark.parametrize("arguments, sentence", [
    ({"force": 3, "on": "x"}, "force must be a function of t, q and u, not 3"),
    ({"force": spring, "on": "z"}, "there is no velocity 'z'"),
    ({"force": lambda t, q, u: -q, "on": ["x", "x_dot"]}, "each named once"),
    ({"force": spring, "on": []}, r"shape \(0,\)|one velocity or more"),
    ({"force": spring, "on": "x", "of": "w"}, "there is no coordinate or velocity 'w'"),
    ({"force": spring, "on": ["x", "y"]}, r"force must give an array of the shape \(2,\), not \(\)"),
    ({"force": lambda t, q, u: "much", "on": "x"}, "force must give numbers, not 'much'"),
    ({"force": spring, "on": "x", "force_q": lambda t, q, u: [1]}, r"force_q must give an array of the shape \(1, 2\)"),
    ({"force": spring, "on": "x", "force_u": 1}, "force_u must be a function"),
])
def test_misuse_gets_one_sentence(arguments, sentence):
    with pytest.raises(carom.DataError, match=sentence):
        carom.Scene(FREE).with_force(**arguments)


def test_it_is_not_data(tmp_path):
    scene = carom.Scene(FREE).with_force(spring, on="x")
    sim = scene.simulation(until=1e-1)
    for attempt in (scene.to_yaml, lambda: sim.save(tmp_path / "s.npz"), lambda: pickle.dumps(scene),
                    lambda: pickle.dumps(sim), lambda: carom.gradient(scene, "x", "m"),
                    lambda: carom.converge(scene, dt=[1e-2, 5e-3])):
        with pytest.raises(carom.DataError, match="not data"):
            attempt()
    with pytest.raises(carom.DataError, match="with_force comes last"):
        scene.coordinate("z")


def test_nobody_else_resumes_its_file(tmp_path):
    """A result of it has rows and a drawing, but no checkpoint: carom run would go on without the force."""
    scene = carom.Scene(FREE)
    (tmp_path / "scene.yaml").write_text(scene.to_yaml())

    def fails(t, q, u):
        if t > 0.5:
            raise KeyboardInterrupt
        return spring(t, q, u)

    sim = scene.with_force(fails, on="x").simulation()
    with pytest.raises(KeyboardInterrupt):
        sim.run(out=tmp_path / "r.h5")
    assert abs(carom.open(tmp_path / "r.h5")["x"][-1] - 0.3 * math.cos(1.0)) < 1e-12
    words = ["run", tmp_path / "scene.yaml", "--out", tmp_path / "r.h5", "--resume", "--quiet"]
    done = subprocess.run([program(), *words], capture_output=True, text=True)
    assert done.returncode == 2 and "checkpoint" in done.stderr, done.stderr


def test_threads_call_it_for_their_own_simulations():
    def end(stiffness):
        sim = carom.Scene(FREE).with_force(lambda t, q, u: -stiffness * q[0], on="x", of="x").simulation(until=0.4)
        sim.run(record=False)
        return sim.q[0]

    values = [4.0, 8.0, 16.0, 32.0]
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(end, values))
    assert all(abs(x - 0.3 * math.cos(math.sqrt(k / 2) * 0.4)) < 1e-11 for x, k in zip(ends, values))
