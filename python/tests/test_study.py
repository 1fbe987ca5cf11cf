"""Studies return what their commands print: orders, structure, exact derivatives; SciPy uses them."""

import math

import carom
import numpy as np
import pytest


@pytest.fixture
def swing():
    return (carom.Scene().coordinate("phi", start=1).kinetic("phi_dot^2/2").potential("-9.81*cos(phi)")
            .run(integrator="rattle", dt=1e-2, until=0.5))


@pytest.fixture
def throw():
    return (carom.Scene().parameter(h=1, v=1.5, g=9.81).coordinate("y", start="h").coordinate("x", velocity="v")
            .kinetic("(x_dot^2 + y_dot^2)/2").potential("g*y").contact("floor", gap="y", restitution=0.5)
            .run(integrator="lobatto", stages=3, events="locate", dt=1e-2, until=0.6))


def test_converge_finds_the_orders(swing):
    table = carom.converge(swing, dt=[2e-2, 1e-2, 5e-3], integrators=["rattle", "lobatto:stages=3"], norm="max",
                           reference="lobatto:stages=4@2.5e-3")
    order = {name: table["overall_order"][(table["quantity"] == "q") & (table["integrator"] == name)][-1]
             for name in set(table["integrator"])}
    rattle, lobatto = (order[name] for name in sorted(order, reverse=True))
    assert abs(rattle - 2) < 0.1 and abs(lobatto - 4) < 0.3


def test_compare_puts_integrators_side_by_side(swing):
    runs, over_time = carom.compare(swing, ["rattle", "moreau"])
    assert list(runs["integrator"]) == ["rattle", "moreau"] and runs["error_q"][0] < runs["error_q"][1] / 100
    assert set(over_time["quantity"]) >= {"energy_error"}


def test_derivatives_through_an_impact(throw):
    found = carom.gradient(throw, of="event(1).t", by=["h", "g"], h=1.25)
    t = math.sqrt(2 * 1.25 / 9.81)
    assert abs(found.value - t) < 1e-12 and found.located and found.events >= 1
    assert abs(found.gradient["h"] - t / 2.5) < 1e-11 and abs(found.gradient["g"] + t / (2 * 9.81)) < 1e-11
    back = carom.gradient(throw, of="event(1).t", by=["h", "g"], method="adjoint", h=1.25)
    assert (found.method, back.method) == ("forward", "adjoint")
    assert all(abs(back.gradient[name] - found.gradient[name]) < 1e-12 for name in ("h", "g"))
    with pytest.raises(ValueError, match="method is 'forward' or 'adjoint'"):
        carom.gradient(throw, of="event(1).t", by="h", method="back")
    with pytest.raises(carom.Error, match="did you mean|there is no"):
        carom.gradient(throw, of="event(1).t", by="hh")


def test_scipy_minimises_with_the_exact_gradient(throw):
    optimize = pytest.importorskip("scipy.optimize")
    best = optimize.minimize(carom.objective(throw, "(event(1).t - 0.5)^2", ["h"]), x0=[1.0], jac=True, tol=1e-14)
    assert abs(best.x[0] - 9.81 / 8) < 1e-5  # h = g t^2/2; at a minimum f is flat to the root of its accuracy
    with pytest.raises(carom.UnknownName, match="did you mean 'h'"):
        carom.objective(throw, "y", ["hh"])


def test_solve_ivp_knows_impacts(throw):
    found = carom.solve_ivp(throw, (0, 0.6), y0=[2.0, 0.0, 0.0, 1.0], dt=1e-2, until=1)
    assert found.success and found.y.shape == (4, len(found.t)) and found.t[-1] == pytest.approx(0.6, abs=1e-12)
    free = found.t < 0.6
    assert np.allclose(found.y[1], found.t, atol=1e-12) and np.allclose(found.y[0][free], 2 - 9.81 / 2 * found.t[free]**2)
    late = carom.solve_ivp(throw, (0, 1), y0=[1.0, 0.0, 0.0, 0.0])
    t = math.sqrt(2 / 9.81)
    assert abs(late.t_events[0] - t) < 1e-12 and abs(late.y_events[0][2] - 9.81 * t / 2) < 1e-11
