"""identify against motions in closed form: a block that slides until it stops, and a ball that falls."""

import carom
import numpy as np
import pytest

G = 9.81


@pytest.fixture
def block():
    return (carom.Scene().parameter(mu=0.25).coordinate("x", velocity=1.2).coordinate("y").kinetic("(x_dot^2 + y_dot^2)/2")
            .potential("9.81*y").contact("floor", gap="y", slip="x_dot", friction="mu")
            .run(integrator="lobatto", events="locate", dt=2e-2, until=0.6))


def fit(*words, **options):
    try:
        return carom.identify(*words, **options)
    except carom.Error as error:
        if "without MINPACK" in str(error):
            pytest.skip(str(error))
        raise


def way(t, mu, v):
    s = np.minimum(t, v / (mu * G))
    return v * s - mu * G * s**2 / 2


def test_friction_of_a_block(block):
    t = np.linspace(0, 0.6, 37)
    found = fit(block, {"t": t, "x": way(t, 0.35, 1.5)}, fit={"mu": 0.3, "start.x_dot": 1.3})
    assert abs(found.values["mu"] - 0.35) < 1e-9 and abs(found.values["start.x_dot"] - 1.5) < 1e-9
    assert found.freedom == 35 and found.located and found.correlation.shape == (2, 2) and not found.at_bound
    assert found.residuals.rows == 37 and np.abs(found.residuals["residual"]).max() < 1e-9


def test_intervals_hold_what_was_put_in(block):
    t, rng = np.linspace(0, 0.6, 61), np.random.default_rng(5)
    x = way(t, 0.35, 1.5) + 1e-3 * rng.normal(size=61)
    x[7] = np.nan  # not measured
    found = fit(block, {"t": t, "x": x}, fit="mu,start.x_dot", sigma={"x": 1e-3}, bound={"mu": (0, None)})
    low, high = found.intervals["mu"]
    # a 99.9 % statement: three times the half of the 95 % interval, and residuals of one sigma within five deviations
    assert abs(found.values["mu"] - 0.35) < 1.5 * (high - low) and abs(found.scale - 1) < 5 / np.sqrt(2 * 58)
    assert found.freedom == 58 and abs((high - low) / 2 / found.deviations["mu"] - 2.0017) < 1e-3


def test_records_of_their_own(block, tmp_path):
    t = np.linspace(0, 0.5, 21)
    (tmp_path / "one.csv").write_text("t,x\n" + "".join(f"{s!r},{p!r}\n" for s, p in zip(t.tolist(), way(t, 0.3, 1.4).tolist())))
    found = fit(block, tmp_path / "one.csv", fit=["mu"], each=["start.x_dot"])
    assert abs(found.values["start.x_dot[one]"] - 1.4) < 1e-9
    two = [({"t": t, "x": way(t, 0.3, v)}, {"start.x_dot": v}) for v in (1.4, 1.1)]
    assert abs(fit(block, two, fit=["mu"]).values["mu"] - 0.3) < 1e-9
    own = fit(block, [record for record, _ in two], fit=["mu"], each=["start.x_dot"]).values
    assert abs(own["start.x_dot[record2]"] - 1.1) < 1e-9


def test_events_and_bounds():
    fall = (carom.Scene().parameter(h=1, e=0.5).coordinate("z", start="h").kinetic("z_dot^2/2").potential("9.81*z")
            .contact("floor", gap="z", restitution="e").run(integrator="lobatto", events="locate", dt=5e-2, until=2))
    strikes = {"t": [0.5, 1.2], "event": ["floor", "floor"]}  # T = sqrt(2 h/g), then 2 e T later
    found = fit(fall, strikes, fit=["h", "e"])
    assert abs(found.values["e"] - 0.7) < 1e-9 and abs(found.values["h"] - G * 0.125) < 1e-9 and np.isnan(found.scale)
    held = fit(fall, strikes, fit=["h", "e"], bound={"e": (None, 0.6)})
    assert held.at_bound == ["e"] and held.values["e"] == 0.6 and np.isnan(held.deviations["e"])


def test_refusals(block):
    data = {"t": [0.1, 0.2], "x": [0.1, 0.2]}
    fit(block, data, fit=["mu"])
    with pytest.raises(carom.Error, match="did you mean 'mu'"):
        carom.identify(block, data, fit=["muu"])
    with pytest.raises(carom.Error, match=r"record1.csv:1:3: 'xx': there is no 'xx'"):
        carom.identify(block, {"t": [0.1], "xx": [1]}, fit=["mu"])
    with pytest.raises(carom.Error, match="needs what to find"):
        carom.identify(block, data)
