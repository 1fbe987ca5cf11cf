"""Scenes piece by piece say what scene files say; expressions of SymPy are formulas."""

import math

import carom
import numpy as np
import pytest


def test_a_sphere_falls_on_a_table():
    scene = (carom.Scene(name="drop").titled("Drop").gravity(0, 0, -9.81)
             .frame("table", plane=(0, 0, 1))
             .body("ball", sphere=0.1, mass=1, position=np.array([0, 0, 1.1]), velocity=[1, 0, 0])
             .contact("touch", "ball", "table", friction=0.3, restitution=0.5)
             .run(integrator="lobatto", stages=3, events="locate", dt=1e-2, until=1))
    assert scene.contacts == ["touch"] and scene.title == "Drop" and "ball.x" in scene.coordinates
    sim = scene.simulation()
    result = sim.run()
    assert abs(result.events["t"][0] - math.sqrt(2 / 9.81)) < 1e-12
    assert sim["ball.position"].shape == (3,) and sim["ball.velocity"][0] < 1


def test_types_follow_from_shapes_and_positions():
    text = (carom.Scene().gravity(0, -1)
            .body("bead", mass=1, position=[0, 1])
            .body("wheel", disk=0.3, mass=1, position=[0, 3])
            .body("plate", box=[1, 2], mass=1, position=[0, 6])
            .run(dt=1e-2, until=1)).to_yaml()
    assert text.count("planar") == 2 and text.count("point") == 1


def test_pieces_by_formulas_say_what_a_dict_says(oscillator):
    scene = (carom.Scene().parameter(m=2, k=8, a=0.3, twice="2*a").input(motor=0).coordinate("x", start="a", unit="m")
             .kinetic("m/2*x_dot^2").potential("k/2*x^2").force(x="motor")
             .run(integrator="lobatto", stages=4, dt=1e-2, until=2))
    sim, other = scene.simulation(), oscillator.simulation()
    sim.run(), other.run()
    assert sim.state.tobytes() == other.state.tobytes()


def test_joints_springs_and_loads():
    scene = (carom.Scene().gravity(0, -9.81)
             .body("rod", box=[1, 0.1], mass=2, position=[0.5, 0])
             .joint("hinge", "revolute", "world", "rod", at=[0, 0])
             .spring("spring", "world", "rod", stiffness=1, length=0, points=[[0, 1], [0, 0]])
             .load("push", "rod", force=[0, 1])
             .observe(height="rod.y").define(double="2*rod.y")
             .plot("rod.phi").run(integrator="rattle", dt=1e-3, until=0.1))
    result = scene.simulation().run()
    assert result.panels == ["rod.phi"] and np.array_equal(result["height"], result["rod.y"])


def test_a_scene_may_leave_the_run_to_its_simulation():
    scene = carom.Scene().coordinate("x", velocity=1).kinetic("x_dot^2/2")
    assert scene.check() == [] and scene.simulation().dt == 1e-3
    sim = scene.simulation(integrator="moreau", dt=0.5, until=2)
    sim.run()
    assert sim.q[0] == 2 and sim.steps == 4


def test_wrong_pieces_are_named():
    with pytest.raises(carom.DataError) as caught:
        carom.Scene(name="mine").body("ball", sphere=-1, mass=1).run(dt=1, until=2).simulation()
    assert caught.value.key == "model.bodies.ball" and caught.value.file == "mine"


def test_scenes_from_text_are_replaced_not_extended(ball):
    with pytest.raises(carom.DataError, match="replace"):
        ball.force(y="1")


def test_sympy_writes_formulas():
    sympy = pytest.importorskip("sympy")
    from carom._sympy import formula
    from sympy.physics.mechanics import dynamicsymbols

    x, k, phi = sympy.Symbol("x"), sympy.Symbol("k"), dynamicsymbols("phi")
    rate = phi.diff()
    assert formula(phi) == "phi" and formula(rate) == "phi_dot" and formula(sympy.Abs(x)) == "abs(x)"
    expressions = [k * x**2 / 3, sympy.sqrt(x**2 + 1), sympy.exp(-x) * sympy.sin(x), sympy.Max(x, 1 - k),
                   sympy.Piecewise((x, x > 1), (x**3, x > 0), (k, True)), sympy.atan2(x, 2), sympy.E * sympy.pi,
                   0.1 * x, sympy.Rational(1, 3) * sympy.log(x), sympy.tanh(x), sympy.sign(x) * sympy.floor(3 * x),
                   sympy.ceiling(-3 * x), sympy.Mod(5 * x, 2), sympy.Mod(x - 4, k + 1), sympy.frac(x - 3)]
    for value in (0.7, 1.3):
        scene = carom.Scene().parameter(k=2).coordinate("x", start=value).kinetic("x_dot^2/2").run(dt=1e-3, until=1)
        scene.observe(**{f"f{i}": e for i, e in enumerate(expressions)})
        sim = scene.simulation()
        for i, e in enumerate(expressions):
            exact = float(e.subs({x: value, k: 2}))
            assert abs(sim[f"f{i}"] - exact) < 1e-14 * max(1, abs(exact)), e


def test_sympy_makes_a_pendulum():
    sympy = pytest.importorskip("sympy")
    from sympy.physics.mechanics import dynamicsymbols

    m, g, l, phi = *sympy.symbols("m g l"), dynamicsymbols("phi")
    x, y = l * sympy.sin(phi), -l * sympy.cos(phi)
    t = dynamicsymbols._t
    kinetic = sympy.simplify(m / 2 * (x.diff(t)**2 + y.diff(t)**2))
    scene = (carom.Scene().parameter(m=1, g=9.81, l=2).coordinate("phi", start=1).kinetic(kinetic).potential(m * g * y)
             .run(integrator="lobatto", stages=4, dt=1e-2, until=2))
    result = scene.simulation().run()
    assert np.abs(result["E"] - result["E"][0]).max() < 1e-10 * abs(result["E"][0])
    with pytest.raises(carom.DataError, match="gamma"):
        carom.Scene().coordinate("x").kinetic(sympy.gamma(sympy.Symbol("x_dot"))).run(dt=1, until=2).check()
