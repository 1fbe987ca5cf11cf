"""Models by functions of Python against motions known in closed form, and against the same model by formulas."""

import math

import carom
import numpy as np
import pytest

G = 9.81


def falling(**others):
    return carom.Model(q0=[1.0], mass=[[2.0]], force=lambda t, q, u: [-2 * G], contacts=[{"name": "floor", "restitution": 0.5}],
                       gap=lambda t, q: q, gap_q=lambda t, q: [[1.0]], names=["y"],
                       energy=lambda t, q, u: (u[0]**2, 2 * G * q[0]), **others)


def test_a_ball_bounces():
    model = falling()
    assert model.check() == []
    sim = model.simulation("lobatto", dt=1e-2, until=1, stages=3, events="locate")
    result = sim.run()
    fall = math.sqrt(2 / G)
    strikes = result.events["t"][result.events["kind"] == "strike"]
    assert abs(strikes[0] - fall) < 1e-12 and abs(strikes[1] - 2 * fall) < 1e-12
    assert abs(result["E"][0] - 2 * G) < 1e-12 and list(result)[:3] == ["t", "y", "y_dot"]
    assert sim.contacts["floor"].gap == sim.q[0]


def test_formulas_say_the_same(oscillator):
    w2 = 4.0
    for derivatives in ({}, {"force_q": lambda t, q, u: [[-w2]], "force_u": lambda t, q, u: [[0.0]]}):
        model = carom.Model(q0=[0.3], mass=[[1.0]], force=lambda t, q, u: -w2 * q, names=["x"], **derivatives)
        sim = model.simulation("lobatto", dt=1e-2, until=1, stages=4)
        sim.run()
        assert abs(sim.q[0] - 0.3 * math.cos(2)) < 1e-11  # differences of a linear force are its derivative, to round-off


def test_friction_and_constraints():
    """A block on a slope slides with g (sin - mu cos); a bead on a circle keeps its distance."""
    a, mu = 0.6, 0.3
    block = carom.Model(q0=[0.0, 0.0], mass=np.eye(2), force=lambda t, q, u: [G * math.sin(a), -G * math.cos(a)],
                        contacts=[{"name": "slope", "slips": 1, "friction": mu}], gap=lambda t, q: q[1:],
                        slip_u=lambda t, q: [[1.0, 0.0]], names=["x", "y"])
    sim = block.simulation("moreau", dt=1e-3, until=1)
    sim.run()
    assert abs(sim.u[0] - G * (math.sin(a) - mu * math.cos(a))) < 1e-6 and sim.contacts["slope"].state == "slip"
    bead = carom.Model(q0=[1.0, 0.0], u0=[0.0, 1.0], mass=np.eye(2), force=lambda t, q, u: [0.0, 0.0],
                       constraint=lambda t, q: [q @ q - 1], constraint_q=lambda t, q: [2 * q])
    sim = bead.simulation("rattle", dt=1e-2, until=1)
    sim.run()
    assert abs(sim.q @ sim.q - 1) < 1e-9 and abs(sim.q[0] - math.cos(1)) < 1e-4


def test_wrong_derivatives_are_found():
    model = carom.Model(q0=[0.3], mass=[[1.0]], force=lambda t, q, u: -4 * q, force_q=lambda t, q, u: [[-5.0]])
    assert "dh/dq" in model.check()[0].text


@pytest.mark.parametrize("change, sentence", [
    ({"force": lambda t, q, u: [1, 2]}, r"force must give an array of the shape \(1,\), not \(2,\)"),
    ({"force": lambda t, q, u: "much"}, "force must give numbers, not 'much'"),
    ({"mass": np.eye(2)}, r"mass must give an array of the shape \(1, 1\), not \(2, 2\)"),
    ({"gap": lambda t, q: q}, "contacts and gap belong together"),
    ({"contacts": [{"name": "a", "colour": 1}], "gap": lambda t, q: q}, "a contact has name"),
    ({"names": ["x", "y"]}, "names must be 1, there are 2"),
])
def test_wrong_shapes_get_one_sentence(change, sentence):
    with pytest.raises(carom.DataError, match=sentence):
        carom.Model(**{"q0": [1.0], "mass": [[1.0]], "force": lambda t, q, u: [0.0], **change})


def test_exceptions_pass_through_the_library_unchanged():
    problem = ZeroDivisionError("mine")

    def force(t, q, u):
        if t > 0.0305:
            raise problem
        return [-G]

    sim = carom.Model(q0=[1.0], mass=[[1.0]], force=force).simulation("rattle", dt=1e-2, until=1)
    with pytest.raises(ZeroDivisionError) as caught:
        sim.run()
    assert caught.value is problem and sim.steps == 3 and sim.t == 0.03
    assert abs(sim.q[0] - (1 - G * 0.03**2 / 2)) < 1e-14
    sim.set_state(t=-1)  # and it goes on
    sim.step()
    assert sim.steps == 4


def test_models_copy_but_do_not_travel():
    sim = falling().simulation(dt=1e-2)
    sim.run(until=0.2)
    other = sim.copy()
    sim.run(until=0.8), other.run(until=0.8)
    assert sim.state.tobytes() == other.state.tobytes()
    with pytest.raises(carom.DataError, match="functions are not data"):
        import pickle
        pickle.dumps(sim)
    with pytest.raises(carom.DataError, match="no scene"):
        sim.run(until=1, out="nothing.h5")
