"""Results in memory and in files; figures, tables, animations."""

import os
import shutil

import carom
import numpy as np
import pytest


@pytest.fixture
def drop():
    return (carom.Scene().titled("Drop").gravity(0, -9.81).frame("table", plane=(0, 1))
            .body("ball", disk=0.1, mass=1, position=[0, 1.1]).contact("touch", "ball", "table", restitution=0.5)
            .plot("ball.y", "T,V,E", "ball.y:ball.y_dot", "sqrt(ball.x^2)")
            .run(integrator="lobatto", events="locate", dt=2e-2, until=1))


def same(a, b):
    return list(a) == list(b) and a.units == b.units and all(
        np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f") for name in a)


def test_a_file_gives_back_what_the_run_returned(tmp_path, drop):
    result = drop.simulation().run(out=tmp_path / "drop.h5")
    read = carom.open(tmp_path / "drop.h5")
    assert same(result, read) and same(result.events, read.events)
    assert read.title == "Drop" and read.status == "finished" and read.panels == result.panels
    assert carom.Scene.parse(read.scene).coordinates == drop.coordinates
    with open(tmp_path / "drop.h5", "r+b") as file:
        file.seek(os.path.getsize(tmp_path / "drop.h5") // 2)
        file.write(b"\xff" * 64)
    with pytest.raises(carom.Error, match="damaged"):
        carom.open(tmp_path / "drop.h5")
    with pytest.raises(carom.DataError):
        carom.open(tmp_path / "none.h5")


def test_what_is_saved_is_the_result(tmp_path, drop):
    result = drop.simulation().run()
    result.save(tmp_path / "saved.h5")
    read = carom.open(tmp_path / "saved.h5")
    assert same(result, read) and same(result.events, read.events) and read.scene == result.scene
    (tmp_path / "other.txt").write_text("mine")
    with pytest.raises(carom.DataError, match="not a result"):
        result.save(tmp_path / "other.txt")


def test_pandas(drop):
    pandas = pytest.importorskip("pandas")
    result = drop.simulation().run()
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == list(result)
    assert frame["ball.y"].to_numpy().tobytes() == result["ball.y"].tobytes() and frame.attrs["units"] == result.units
    strikes = result.events.to_pandas().query("kind == 'strike'")
    assert abs(strikes["t"].iloc[0] - np.sqrt(2 / 9.81)) < 1e-12


def test_curves_jump_at_events(drop):
    result = drop.simulation().run()
    t, v = result.curve("ball.y_dot")
    at = np.flatnonzero(t == result.events["t"][0])
    assert len(at) == 2 and v[at[0]] < 0 < v[at[1]] and (np.diff(t) >= 0).all()
    assert abs(v[at[1]] + 0.5 * v[at[0]]) < 1e-12


def test_formulas_of_quantities(tmp_path, drop):
    result = drop.simulation().run(out=tmp_path / "drop.h5")
    for r in (result, drop.simulation().run()):  # of a file, and of a result in memory
        assert np.array_equal(r.quantity("2*ball.y + dt").rows, 2 * r["ball.y"] + 2e-2)
        t, energy = r.curve("T + V")
        assert np.allclose(energy, r.curve("T")[1] + r.curve("V")[1], rtol=1e-15) and len(t) == r.rows + 2 * r.events.rows
        assert r.quantity("touch.FN").unit == "N"
        with pytest.raises(carom.DataError, match="'ball.z', did you mean 'ball.[xy]'"):
            r.quantity("2*ball.z")


def test_plots_show_the_numbers(drop):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    result = drop.simulation().run()
    figure = result.plot()
    assert len(figure.axes) == 4 and figure.axes[3].get_ylabel() == "sqrt(ball.x^2)"
    lines = figure.axes[1].get_lines()
    assert [line.get_label() for line in lines] == ["T", "V", "E"]
    assert np.array_equal(lines[0].get_ydata(), result.curve("T")[1])
    assert figure.axes[2].get_xlabel().startswith("ball.y")
    assert [line.get_color().upper() for line in lines][:2] == ["#0072B2", "#D55E00"]
    assert len(result.plot("touch.*").axes[0].get_lines()) == len([name for name in result if name.startswith("touch.")])
    assert [line.get_label() for line in result.plot("max(T, V),E").axes[0].get_lines()] == ["max(T, V)", "E"]
    with pytest.raises(carom.UnknownName, match="did you mean"):
        result.plot("ball.z")
    matplotlib.pyplot.close("all")


def test_an_animation_is_a_page_in_a_frame(tmp_path, drop):
    animation = drop.simulation().run().animate(height=300)
    shown = animation._repr_html_()
    assert shown.startswith('<iframe srcdoc="') and 'height="300"' in shown
    assert '"' not in shown.split('srcdoc="')[1].split('" width=')[0]
    animation.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "ball" in page and "src=\"http" not in page and page.lower().startswith("<!doctype html")


@pytest.mark.skipif(not shutil.which("chromium"), reason="pictures are made by chromium")
def test_a_movie_may_be_a_folder_of_pictures(tmp_path, drop):
    drop.simulation().run().movie(tmp_path / "movie", size="128x64", rate=2, speed=1)
    names = sorted(os.listdir(tmp_path / "movie"))
    assert names and all((tmp_path / "movie" / name).read_bytes()[:4] == b"\x89PNG" for name in names)


def test_options_of_movies_are_those_of_the_command(tmp_path, drop):
    with pytest.raises(carom.Error, match="sise"):
        drop.simulation().run().movie(tmp_path / "movie", sise="1x1")
