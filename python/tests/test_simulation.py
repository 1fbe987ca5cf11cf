"""Steps and runs against motions known in closed form; looking, steering, copies; misuse without a crash."""

import gc
import math
import pickle

import carom
import numpy as np
import pytest
from conftest import OSCILLATOR


def test_steps_follow_the_exact_motion(oscillator):
    sim = oscillator.simulation()
    q, u = sim.q, sim.u
    for _ in range(100):
        sim.step()
    # x = a cos(w t) with w = 2, and order 6: (w dt)^6/10! is below round-off, which 100 steps add up
    assert sim.t == 1 and sim.steps == 100
    assert q is sim.q and abs(q[0] - 0.3 * math.cos(2)) < 1e-13 and abs(u[0] + 0.6 * math.sin(2)) < 1e-13
    assert sim["x"] == q[0] and abs(sim["E"] - 8 / 2 * 0.3**2) < 1e-13


def test_a_run_returns_what_the_scene_records(oscillator):
    result = oscillator.simulation().run(until=0.5)
    assert result.rows == 51 and result.status == "finished" and result.units["x"] == "m"
    assert np.abs(result["x"] - 0.3 * np.cos(2 * result["t"])).max() < 1e-13
    assert result.events is None
    with pytest.raises(carom.UnknownName, match="did you mean 'x_dot'"):
        result["x_dott"]


def test_a_run_goes_on_and_may_record_less(oscillator):
    sim = oscillator.simulation(every=10, record=["x"])
    first = sim.run(until=0.255)
    assert list(first) == ["t", "x"] and np.allclose(first["t"], [0, 0.1, 0.2, 0.26], rtol=1e-15)
    second = sim.run()
    assert second["t"][0] == first["t"][-1] and second["t"][-1] == 2 and sim.done
    assert sim.run(record=False).rows == 0


def test_impacts_are_events(ball):
    result = ball.simulation().run()
    fall = math.sqrt(2 / 9.81)  # then up and down again in half of twice this time, by e = 1/2
    strikes = result.events["t"][result.events["kind"] == "strike"]
    assert abs(strikes[0] - fall) < 1e-13 and abs(strikes[1] - 2 * fall) < 1e-13
    assert set(result.events["contact"]) == {"floor"}
    v = 9.81 * fall
    assert abs(result.events["gap_dot.before"][0] + v) < 1e-12
    assert abs(result.events["gap_dot.after"][0] - v / 2) < 1e-12


def test_events_of_a_step_and_contacts(ball):
    sim = ball.simulation()
    while not sim.events:
        sim.step()
    event, v = sim.events[0], math.sqrt(2 * 9.81)
    assert event.kind == "strike" and event.contact == "floor" and event.state[0] == "open"
    assert abs(event.PN - 1.5 * v) < 1e-12 and abs(event.loss - 0.75 * v**2 / 2) < 1e-12
    floor = sim.contacts["floor"]
    assert abs(floor.PN - 1.5 * v) < 1e-12 and floor.gap == sim["floor.gap"] > 0 and floor.name in repr(floor)
    assert floor.force.shape == (1,) and abs(floor.force[0] - floor.PN / sim.dt) < 1e-9
    with pytest.raises(carom.UnknownName, match="did you mean 'floor'"):
        sim.contacts["flor"]
    with pytest.raises(AttributeError, match="floor.gap"):
        floor.gab


def test_inputs_and_parameters_act(oscillator):
    sim = oscillator.simulation()
    sim.inputs["motor"] = 8 * 0.3  # holds the spring where it is
    sim.run(until=1)
    assert abs(sim.q[0] - 0.3) < 1e-13
    sim.inputs["motor"] = 0
    sim.parameters["k"] = 2  # w = 1
    sim.restart()
    sim.run(until=1)
    assert abs(sim.q[0] - 0.3 * math.cos(1)) < 1e-13
    assert dict(sim.parameters) == {"m": 2, "k": 2, "a": 0.3, "twice": 0.6} and dict(sim.inputs) == {"motor": 0}


@pytest.mark.parametrize("change, sentence", [
    (lambda sim: sim.set_state(q=[1, 2]), "q must have 1 component, its shape is (2,)"),
    (lambda sim: sim.set_state(u=["fast"]), "u must be numbers, not ['fast']"),
    (lambda sim: sim.set_state(q=[math.nan]), "q must be finite"),
    (lambda sim: sim.set_state(t=math.inf), "t must be finite, it is inf"),
    (lambda sim: sim.inputs.__setitem__("moter", 1), "there is no input 'moter', did you mean 'motor'?"),
    (lambda sim: sim.inputs.__setitem__("motor", "much"), "input 'motor' must be a number, not 'much'"),
    (lambda sim: sim.parameters.__setitem__("m", math.nan), "parameter 'm' must be finite, it is nan"),
    (lambda sim: sim.parameters.__delitem__("m"), "parameter 'm' belongs to the model and cannot be deleted"),
    (lambda sim: sim.restore([1, 2]), "a state of this simulation has {size} numbers, the shape given is (2,)"),
    (lambda sim: sim.run(until=-1), "until must lie after the start time 0"),
    (lambda sim: sim["xx"], "there is no quantity 'xx', did you mean 'x'? (elements have position, velocity, rotation, "
                            "angular_velocity and force)"),
])
def test_wrong_values_are_refused_and_change_nothing(oscillator, change, sentence):
    sim = oscillator.simulation()
    sim.step()
    before = sim.state
    with pytest.raises(carom.DataError) as caught:
        change(sim)
    assert caught.value.message == sentence.format(size=len(before))
    assert sim.state.tobytes() == before.tobytes()


def test_the_state_can_be_set_and_only_so(oscillator):
    sim = oscillator.simulation()
    with pytest.raises(ValueError, match="read-only"):
        sim.q[0] = 1
    sim.q = [1.0]
    sim.u = [2.0]
    t, x, v = sim.t, 1.0, 2.0
    sim.run(until=1)
    assert abs(sim.q[0] - (x * math.cos(2 * (1 - t)) + v / 2 * math.sin(2 * (1 - t)))) < 1e-13


def test_copies_states_files_and_pickles_go_on_with_the_same_bits(tmp_path):
    sim = carom.load("scenes/paper/rattle/slider_crank.yaml", mu=0.1).simulation(dt=1e-4)
    sim.parameters["e"] = 0.4
    sim.run(until=77e-4, record=False)
    sim.save(tmp_path / "sim.npz")
    kept = sim.state
    others = [sim.copy(), carom.Simulation.load(tmp_path / "sim.npz"), pickle.loads(pickle.dumps(sim))]
    sim.run(until=0.02, record=False)
    for other in others:
        assert other.parameters["e"] == 0.4
        other.run(until=0.02, record=False)
        assert other.state.tobytes() == sim.state.tobytes()
    end = sim.state
    sim.restore(kept)
    sim.run(until=0.02, record=False)
    assert sim.state.tobytes() == end.tobytes()


def test_a_changed_parameter_that_has_not_acted_yet_travels_too(oscillator):
    sim = carom.Scene({**OSCILLATOR, "run": {"integrator": "nsga", "dt": 1e-2, "until": 1}}).simulation()
    sim.run(until=0.1)
    sim.parameters["k"] = 3
    other = pickle.loads(pickle.dumps(sim))
    sim.run(until=0.3), other.run(until=0.3)
    assert sim.state.tobytes() == other.state.tobytes()


def test_a_file_that_is_no_simulation(tmp_path):
    (tmp_path / "no.npz").write_bytes(b"nothing")
    with pytest.raises(carom.DataError, match="holds no simulation"):
        carom.Simulation.load(tmp_path / "no.npz")


def test_callbacks_steer_stop_and_raise(oscillator):
    sim, moments = oscillator.simulation(), []

    def hold(sim, moment, event):
        moments.append(moment)
        if moment == "before":
            sim.inputs["motor"] = 8 * sim["x"] - 2 * 9.81  # free fall in place of the spring, renewed every step

    sim.on_step(hold)
    sim.run(until=0.02)
    assert moments == ["before", "after"] * 2
    sim.on_step(lambda sim, moment, event: sim.steps < 5)
    with pytest.raises(carom.Stopped):
        sim.run()
    assert sim.steps == 5

    class Mine(Exception):
        pass

    problem = Mine("unchanged")

    def fail(sim, moment, event):
        if sim.steps == 8:
            raise problem

    sim.on_step(fail)
    with pytest.raises(Mine) as caught:
        sim.run()
    assert caught.value is problem and sim.steps == 8 and caught.value.result.rows == 4
    sim.on_step(None)
    sim.step()
    assert sim.steps == 9


def test_a_callback_cannot_step_its_own_simulation(oscillator):
    sim = oscillator.simulation()
    sim.on_step(lambda sim, moment, event: sim.step())
    with pytest.raises(carom.Error, match="callback cannot"):
        sim.step()
    sim.on_step(None)
    sim.step()
    assert sim.steps == 1


def test_a_failed_step_leaves_the_last_state_and_what_was_recorded():
    scene = carom.Scene({"model": {"coordinates": {"x": {"start": 1, "velocity": -1}}, "kinetic": "x_dot^2/2",
                                   "potential": "sqrt(x)"},
                         "run": {"integrator": "rattle", "dt": 0.1, "until": 3}})
    sim = scene.simulation()
    with pytest.raises(carom.StepError) as caught:
        sim.run()
    result = caught.value.result
    assert result["x"][-1] == sim.q[0] > 0 and result["t"][-1] == sim.t and result.status.startswith("failed: step")
    with pytest.raises(carom.StepError):
        sim.step()
    sim.set_state(q=[4], u=[1])
    sim.step()


def test_views_outlive_their_simulation(oscillator):
    sim = oscillator.simulation()
    q = sim.q
    del sim
    gc.collect()
    assert q[0] == 0.3


def test_a_result_file_holds_the_same_numbers(tmp_path, ball):
    h5py = pytest.importorskip("h5py")
    result = ball.simulation().run(out=tmp_path / "ball.h5")
    with h5py.File(tmp_path / "ball.h5") as file:
        assert file.attrs["status"].decode() == "finished"
        for name in result:
            assert file[name][:].tobytes() == result[name].tobytes()
        assert file["#events"]["t"][:].tobytes() == result.events["t"].tobytes()


def test_joints_break():
    # a pendulum from the horizontal bears 3 m g sin(phi) = 40 N where it has fallen by 2/3 of its length
    scene = carom.Scene({
        "carom": 1,
        "model": {"gravity": [0, -10, 0], "bodies": {"bob": {"type": "point", "mass": 2, "position": [1, 0]}},
                  "joints": {"rod": {"type": "distance", "bodies": ["world", "bob"], "breaks": {"force": 40}}}},
        "run": {"integrator": "lobatto", "events": "locate", "dt": 0.01, "until": 0.8}})
    sim = scene.simulation()
    assert len(sim.q) == 2 and scene.coordinates == ["bob.x", "bob.y"]
    while not sim.events:
        sim.step()
    event, = sim.events
    assert event.kind == "fracture" and event.contact == "rod" and sim["rod.holds"] == 0
    sim.q = [1, 0]
    sim.u = [0, 0]
    events = scene.simulation().run().events
    assert list(events["contact"]) == ["rod"] and abs(events["t"][0] - event.time) == 0
