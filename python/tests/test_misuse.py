"""What a stranger does wrong gets one sentence: an exception of carom, or Python's own, never a crash and never silence."""

import pickle

import carom
import numpy as np
import pytest
from conftest import BALL


def still(t, q, u):
    return [0.0]


def scene():
    return carom.Scene.parse(BALL, "ball.yaml")


def sim(**run):
    return scene().simulation(**run)


def model(**others):
    return carom.Model(**{"q0": [1.0], "mass": [[1.0]], "force": still, **others})


def floor(**contact):
    return model(contacts=[{"name": "floor", **contact}], gap=lambda t, q: q)


NAN, INF = float("nan"), float("inf")
CASES = {
    # what is no scene
    "load(3)": (lambda: carom.load(3), "expected str"),
    "load of nothing": (lambda: carom.load(b"nothing.yaml"), "nothing.yaml: cannot read the scene"),
    "load of a zero": (lambda: carom.load("a\0b"), "text with a zero"),
    "Scene(3)": (lambda: carom.Scene(3), "a scene is a dict of its entries, not 3"),
    "Scene of text": (lambda: carom.Scene("ball.yaml"), "carom.load reads files"),
    "parse(3)": (lambda: carom.Scene.parse(3), "the text of a scene must be a string"),
    "parse of bytes that are no text": (lambda: carom.Scene.parse("\udcff"), "UTF-8"),
    "an object as a number": (lambda: carom.Scene({"run": {"dt": object()}}).check(), "a scene cannot hold"),
    "nan as a number": (lambda: carom.Scene({"run": {"dt": NAN}}).check(), "run.dt: a scene cannot hold nan"),
    "a name of two lines": (lambda: carom.Scene({"model": {"coordinates": {"x\ny": {}}}}).check(), "only letters"),
    "an unknown parameter": (lambda: carom.Scene({"parameters": {"mass": 1}}, mas=2), "did you mean 'mass'"),
    "an unknown parameter to replace": (lambda: scene().replace(hh=3), "did you mean 'h'"),
    "an empty key": (lambda: scene().replace(set={"": 1}), "key=value"),
    # runs and states
    "dt 0": (lambda: sim(dt=0), "must be positive"),
    "an unknown integrator": (lambda: sim(integrator="latto"), "unknown integrator 'latto'"),
    "until nan": (lambda: sim().run(until=NAN), "until must be finite"),
    "until a list": (lambda: sim().run(until=[1]), "until must be a number"),
    "out in no folder": (lambda: sim().run(out="/nothing/r.h5"), "no such file or directory"),
    "out a folder": (lambda: sim().run(out="/"), "is a directory"),
    "too many components": (lambda: sim().set_state(q=np.zeros(10**6)), "q must have 1 component"),
    "a matrix": (lambda: sim().set_state(q=[[1.0]]), r"its shape is \(1, 1\)"),
    "complex numbers": (lambda: sim().set_state(u=[1j]), "u must be numbers"),
    "no number": (lambda: sim().set_state(q=[None]), "q must be finite"),
    "an infinite time": (lambda: sim().set_state(t=INF), "t must be finite"),
    "writing to the library's memory": (lambda: sim().q.__setitem__(0, 1.0), "read-only"),
    "a state of another size": (lambda: sim().restore([1, 2]), r"the shape given is \(2,\)"),
    "a state of words": (lambda: sim().restore("x"), "a state must be numbers"),
    "an unknown quantity": (lambda: sim()["z"], "there is no quantity 'z'"),
    "a quantity with a zero": (lambda: sim()["y\0"], "text with a zero"),
    "an unknown contact": (lambda: sim().contacts["flor"], "did you mean 'floor'"),
    "an input nan": (lambda: sim().inputs.__setitem__("push", NAN), "input 'push' must be finite"),
    "an unknown input": (lambda: sim().inputs.__setitem__("pusch", 1), "did you mean 'push'"),
    "restitution 3": (lambda: sim().parameters.__setitem__("e", 3), r"restitution must lie in \[0, 1\]"),
    "a callback 3": (lambda: sim().on_step(3), "a callback is a function"),
    # results
    "a file that is none": (lambda: carom.open("/nothing.h5"), "no such file or directory"),
    "an empty panel": (lambda: sim().run().plot("y:"), "a quantity is a name or a formula"),
    "a panel 3": (lambda: sim().run().plot(3), "a panel is a text"),
    "half a formula": (lambda: sim().run().quantity("y +"), "expected a number or a name"),
    # models
    "no coordinates": (lambda: model(q0=[]), "shape"),
    "a force 3": (lambda: model(force=3), "force must be a function, not 3"),
    "a force that is None": (lambda: model(force=lambda t, q, u: None), "force must give numbers, not None"),
    "no mass": (lambda: model(mass=[[0.0]]).simulation(), "not positive definite"),
    "contacts 3": (lambda: model(contacts=3), "contacts must be a list"),
    "a contact called 3": (lambda: floor(name=3), "texts that differ"),
    "nine slips": (lambda: model(contacts=[{"name": "a", "slips": 9}], gap=lambda t, q: q,
                                 slip_u=lambda t, q: np.zeros((9, 1))), "0 to 3 are possible"),
    "negative friction": (lambda: floor(friction=-1), "friction must not be negative"),
    "one name twice": (lambda: model(q0=[1, 2], mass=np.eye(2), names=["x", "x"]), "texts that differ"),
    "pickling functions": (lambda: pickle.dumps(model()), "not data"),
    # studies
    "a study of a file": (lambda: carom.converge("ball.yaml", dt=[1e-2]), "carom.load reads one"),
    "a study of a model": (lambda: carom.gradient(model(), "q1", "m"), "a study takes a scene"),
    "no step size": (lambda: carom.converge(scene(), dt=[]), "is not a step size"),
    "derivatives by nothing": (lambda: carom.gradient(scene(), "y", []), "by names what to derive by"),
    "derivatives by what is none": (lambda: carom.gradient(scene(), "y", "hh"), "there is no parameter 'hh'"),
    "an objective of too much": (lambda: carom.objective(scene(), "y", ["h"])([1, 2]), "x must have 1 component"),
    "a sweep over 3": (lambda: carom.sweep(scene(), 3), "what is varied is a dict"),
    "columns of unequal length": (lambda: carom.identify(scene(), {"t": [0, 1], "y": [1]}, fit="h"), "as long as each other"),
    "a word among measurements": (lambda: carom.identify(scene(), {"t": [0, 1], "y": [1, "a"]}, fit="h"),
                                  r"^record1.csv:3:3: expected a number"),
    "time that goes back": (lambda: carom.solve_ivp(scene(), (1, 0)), "t_span must begin before it ends"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence(case):
    attempt, sentence = CASES[case]
    with pytest.raises((carom.Error, TypeError, ValueError), match=sentence) as caught:
        attempt()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_errors_of_the_program_know_their_place():
    with pytest.raises(carom.DataError) as caught:
        carom.identify(scene(), {"t": [0, 1], "y": [1, "a"]}, fit="h")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("record1.csv", 3, 3)
