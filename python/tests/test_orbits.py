"""Periodic motions and sweeps against what is known in closed form, of a ball on a table that shakes."""

import carom
import numpy as np
import pytest

G, W = 9.81, 20.0


@pytest.fixture
def shaken():
    return (carom.Scene().parameter(g=G, e=0.5, A=0.027, w=W).coordinate("z", start=0.031, velocity=-1.39)
            .kinetic("z_dot^2/2").potential("g*z").contact("table", gap="z - A*sin(w*t)", restitution="e")
            .run(integrator="lobatto", events="locate", dt="2*pi/w/20", until=3, tolerance=1e-12))


def test_an_orbit_has_its_multipliers(shaken):
    found = carom.orbit(shaken, period="2*pi/w", after=1)
    assert abs(found.period - 2 * np.pi / W) < 1e-15 and found.events == 1 and found.residual < 1e-12 and found.stable
    # an impact takes e^2 from an area of states, and nothing else changes it
    assert abs(np.prod(found.multipliers) - 0.25) < 1e-10 and set(found.state) == {"z", "z_dot"}
    assert not carom.orbit(shaken.replace(A=0.04), period="2*pi/w", shots=2).stable
    with pytest.raises(carom.Error, match="either a period"):
        carom.orbit(shaken)


def test_a_branch_flips_where_it_must(shaken):
    points = carom.branches(shaken, "A", 0.027, 0.039, period="2*pi/w", after=1)
    e = 0.5
    flip = G / W**2 * np.hypot(2 * (1 + e**2) / (1 + e)**2, np.pi * (1 - e) / (1 + e))
    assert abs(points["A"][points["kind"] == "flip"][0] - flip) < 1e-9
    assert set(points["branch"]) == {1, 2}  # the second one has the motions of twice the period
    assert np.allclose(points["period"], points["branch"] * 2 * np.pi / W, rtol=1e-14)


def test_a_sweep_has_a_row_for_each_run(tmp_path):
    fall = (carom.Scene().parameter(h=1, e=0.5).coordinate("y", start="h").kinetic("y_dot^2/2").potential("9.81*y")
            .contact("floor", gap="y", restitution="e").run(integrator="lobatto", events="locate", dt=1e-2, until=1))
    heights, es = [0.5, 1.0], np.array([0.2, 0.4, 0.6])
    found = carom.sweep(fall, {"h": heights, "e": es}, keep={"v": "y_dot"}, section="floor", points=1,
                        out=tmp_path / "fall.h5")
    assert found.rows == 6 and sorted(set(found["e"])) == sorted(es) and not found["failed"].any()
    # at the first strike a ball from h leaves with e sqrt(2 g h)
    expected = found.events["e"] * np.sqrt(2 * 9.81 * found.events["h"])
    assert found.events.rows == 6 and np.allclose(found.events["v"], expected, rtol=1e-12, atol=0)
    assert carom.open(tmp_path / "fall.h5").rows == 6
    with pytest.raises(carom.Error, match="did you mean 'h'"):
        carom.sweep(fall, {"hh": heights})
