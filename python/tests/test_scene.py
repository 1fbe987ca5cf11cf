"""Scenes from files, text and dicts, and what is said about wrong ones."""

import pickle

import carom
import numpy as np
import pytest
from conftest import OSCILLATOR


def test_a_file_is_loaded_with_other_values(tmp_path, ball):
    path = tmp_path / "ball.yaml"
    path.write_text(ball.to_yaml())
    scene = carom.load(path, set={"run.dt": 2e-2}, h=2)
    assert scene.parameters["h"] == 2 and scene.parameters["g"] == 9.81
    assert scene.title == "Ball" and scene.coordinates == ["y"] and scene.velocities == ["y_dot"]
    assert scene.contacts == ["floor"] and scene.inputs == ["push"]
    sim = scene.simulation()
    assert sim.q[0] == 2 and sim.dt == 2e-2


def test_a_dict_says_what_yaml_says(oscillator):
    text = oscillator.to_yaml()
    again = carom.Scene.parse(text)
    assert again.parameters == oscillator.parameters == {"m": 2, "k": 8, "a": 0.3, "twice": 0.6}
    sim, other = oscillator.simulation(), again.simulation()
    sim.run(), other.run()
    assert sim.state.tobytes() == other.state.tobytes()


def test_numbers_of_numpy_and_keywords_are_values():
    scene = carom.Scene(OSCILLATOR, k=np.float32(2), a=np.int64(1))
    assert scene.parameters["k"] == 2 and scene.parameters["a"] == 1
    assert scene.replace(k=3).parameters["k"] == 3 and scene.parameters["k"] == 2


def test_families_and_vectors_may_stand_in_a_dict():
    scene = carom.Scene({
        "parameters": {"x0": np.array([1.0, 2, 4])},
        "model": {"coordinates": {"x[i=1..3]": {"start": "x0[i]"}},
                  "define": {"r[i=1..2]": "x[i + 1] - x[i]"},
                  "kinetic": "(x1_dot^2 + x2_dot^2 + x3_dot^2)/2"},
        "run": {"integrator": "moreau", "dt": 0.1, "until": 1}})
    assert scene.simulation().q.tolist() == [1, 2, 4]


def test_check_finds_what_cannot_be_trusted(oscillator):
    assert oscillator.check() == []
    found = carom.Scene({**OSCILLATOR, "model": {
        **OSCILLATOR["model"], "contacts": {"wall": {"gap": "x - 1"}}}}).check()
    assert found and found[0].fatal and "wall" in found[0].text


@pytest.mark.parametrize("make, file, line, column, suggestion", [
    (lambda: carom.Scene.parse("carom: 1\nmodel: {coordinates: {x: {strt: 1}}}\n", "a.yaml"), "a.yaml", 2, 27, "start"),
    (lambda: carom.load("does_not_exist.yaml"), "does_not_exist.yaml", None, None, None),
    (lambda: carom.Scene(OSCILLATOR).simulation(integrater="rattle"), "scene", None, None, "integrator"),
    (lambda: carom.Scene(OSCILLATOR).simulation(dt=-1), "scene", None, None, None),
    (lambda: carom.Scene(OSCILLATOR).replace(kk=1), None, None, None, "k"),
    (lambda: carom.Scene(OSCILLATOR, a=float("nan")).title, None, None, None, None),
    (lambda: carom.Scene(OSCILLATOR, a=object()).title, None, None, None, None),
])
def test_bad_scenes_get_one_sentence(make, file, line, column, suggestion):
    with pytest.raises(carom.DataError) as caught:
        make()
    error = caught.value
    assert (error.file, error.line, error.column, error.suggestion) == (file, line, column, suggestion)
    assert "\n" not in str(error) and str(error).endswith(error.message)


def test_the_entry_of_a_dict_is_named():
    with pytest.raises(carom.DataError) as caught:
        carom.Scene({"model": {"bodies": {"ball": {"type": "point", "position": [0, 1], "mas": 1}}},
                     "run": {"dt": 1e-3, "until": 1}}, name="mine").to_yaml()
    assert caught.value.file == "mine" and caught.value.key == "model.bodies.ball" and caught.value.suggestion == "mass"


def test_errors_and_scenes_survive_pickling(ball):
    error = carom.UnknownName("there is no 'x', did you mean 'y'?", "f", 1, 2, "k")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is carom.UnknownName and str(again) == str(error) and again.suggestion == "y"
    assert pickle.loads(pickle.dumps(ball)).to_yaml() == ball.to_yaml()
