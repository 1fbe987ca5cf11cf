"""What pages of 'carom view' show of things, and what keys and the mouse do in them.

    view_things.py FOLDER    holding what tests/robustness/view_things.sh has made
"""
import os
import sys

import numpy

from viewed import Viewed, check, failures

page = Viewed(os.path.abspath(sys.argv[1]), more=["--window-size=800,600"])
STATES = {0: "#9aa4b1", 1: "#e69f00", 2: "#009e73"}
SIZE = "const {left, top, width, height} = document.getElementById('picture').getBoundingClientRect(); return [left, top, width, height]"


def on_screen(points):
    """Where points are on the screen, in pixels."""
    (left, top, width, height), (at, _, _) = page.run(SIZE), page.seen(points)
    return [(left + x * width, top + (1 - y) * height) for x, y in at]


def check_states(name, result):
    """Dots have the colours of their states; forces are those of the file, inside their cones, and the arrow ends on the cone where the block slips."""
    t, colours = result["t"][:], {state: [int(code[k:k + 2], 16) for k in (1, 3, 5)] for state, code in STATES.items()}
    for row, expected in ((20, (1, 2, 0)), (90, (2, 2, 0))):
        page.seek(t[row])
        states = [int(result[f"table{i}.state"][row]) for i in (1, 2, 3)]
        check(tuple(states) == expected, f"{name}: the run has the states {states} at row {row}")
        places, _, _ = page.seen([[result[f"x{i}"][row], result[f"y{i}"][row], 0] for i in (1, 2, 3)])
        seen = page.colours(places)
        for i in (0, 1):
            check(numpy.abs(seen[i] - colours[states[i]]).max() <= 8, f"{name}: a dot of state {states[i]} has the colour {seen[i]} at row {row}")
        check(min(numpy.abs(seen[2] - colours[s]).sum() for s in (1, 2)) > 60 and numpy.ptp(seen[2]) < 60, f"{name}: an open contact has the colour {seen[2]}")
        forces = page.run("return carom.viewer.worlds[0].contacts.touches.map(({force, mu}) => [force.x, force.y, mu])")
        for i, (FT, FN, mu) in enumerate(forces):
            kept = [result[f"table{i + 1}.{part}"][row] / 0.01 for part in ("PF", "PN")]
            check(numpy.allclose([FT, FN], kept, rtol=1e-6, atol=1e-9) and mu == 0.4, f"{name}: the force of contact {i + 1} is {FT, FN}, not {kept}")
            check(abs(FT) <= mu * FN * (1 + 1e-6), f"{name}: force {i + 1} is outside its cone")
            check(states[i] != 1 or abs(abs(FT) - mu * FN) < 1e-5 * FN, f"{name}: force {i + 1} of a slip is not on its cone")


def check_hulls(name, result):
    """Each hull has its own surface: the flat one is wide and low, the tall one narrow and high. Sky is where the other one would be."""
    page.seek(0)
    page.press("1")   # from the front
    page.run("carom.viewer.draw()")
    inside = [[-1.4, 0, 2], [-0.6, 0, 2], [1, 0, 1.6], [1, 0, 2.4]]
    outside = [[-1, 0, 1.6], [-1, 0, 2.4], [0.6, 0, 2], [1.4, 0, 2]]
    places, _, _ = page.seen(inside + outside)
    spread = numpy.ptp(page.colours(places), axis=1)   # bodies are coloured, sky and paper grey
    check((spread[:4] > 24).all() and (spread[4:] < 24).all(), f"{name}: hulls have other surfaces: {spread}")


def check_between(name, result):
    """Between two rows bodies are drawn half way, after jumps in time as well: 1e-6 m."""
    t = result["t"][:]
    for row in (7, 30, 8, 31):
        page.seek((t[row] + t[row + 1]) / 2)
        drawn = page.run("return carom.viewer.worlds[0].bodies.parts.map(({thing, matrix}) => [thing.name, ...matrix.elements.slice(12, 15)])")
        off = [abs(x - result[f"{body}.{axis}"][row:row + 2].mean()) for body, *place in drawn for x, axis in zip(place, "xyz")]
        check(len(drawn) == 3 and max(off) < 1e-6, f"{name}: bodies are drawn {max(off)} m off after row {row}")


def check_joints(name, result):
    """A pin where the joint is and a rod along its axis, a spring from end to end."""
    joint = page.run("const [{joints}] = carom.viewer.worlds, [{mesh}] = joints.list, z = new THREE.Vector3(0, 0, 1).applyQuaternion(mesh.quaternion); return [joints.list.length, mesh.visible, ...mesh.position.toArray(), ...z.toArray()]")
    check(joint[:2] == [1, True] and numpy.abs(numpy.abs(joint[2:]) - [0, 0, 0, 0, 1, 0]).max() < 1e-6, f"{name}: the joint is {joint}")
    page.press("j")
    check(page.run("return carom.viewer.worlds[0].joints.list[0].mesh.visible") is False, f"{name}: j does not hide joints")
    page.press("j")
    t = result["t"][:]
    page.seek(t[-1])
    coil = page.run("const [clip] = carom.clips, thing = clip.things.find(t => t.kind === 'spring'); return [0, 1].map(n => [0, 1, 2].map(k => clip.columns[thing.at + 3 * n + k].at(clip.t.length - 1)))")
    centre = numpy.array([result[f"bar.{axis}"][-1] for axis in "xyz"])
    check(numpy.abs(coil[0] - numpy.array([1, 0, 1])).max() < 1e-6 and numpy.abs(coil[1] - 2 * centre).max() < 1e-6, f"{name}: the spring goes from {coil[0]} to {coil[1]}")


def check_strain(name, result):
    """While bars press on each other they are blue there, and grey before."""
    for row, pressed in ((0, False), (100, True)):
        page.seek(result["t"][row])
        place, _, _ = page.seen([[result["A10.x"][row], 0, 0]])
        red, _, blue = page.colours(place)[0]
        check((blue - red > 60) == pressed, f"{name}: the bar has red {red} and blue {blue} at row {row}")
    check(page.run("return carom.viewer.worlds[0].strains.length") == 2, f"{name}: bars without strain")


def check_fine(name, result):
    """An energy that is kept to round-off is shown to 1e-8 of its range: floats would make steps of 6e-8 of it."""
    kept = result["E"][:]
    shown = numpy.array(page.run("const [c] = carom.clips; return Array.from(c.columns[c.quantity.get('E').at].all())"))
    check(0 < numpy.ptp(kept) < 1e-9 * abs(kept[0]), f"{name}: the energy is no example: {numpy.ptp(kept)}")
    check(numpy.abs(shown - kept).max() <= 1e-8 * numpy.ptp(kept) + numpy.spacing(abs(kept[0])), f"{name}: the energy is shown otherwise")


def check_eye(name):
    """The mouse turns, moves and comes nearer; keys choose views; f follows; double click or 0: the first view."""
    eye = lambda: numpy.array(page.run("carom.viewer.draw(); const {turn, rise, distance, target} = carom.viewer.camera; return [turn, rise, distance, ...target.toArray()]"))
    first = eye()
    page.drag((400, 150), (460, 170))
    turned = eye()
    check(turned[0] != first[0] and turned[1] > first[1] and (turned[2:] == first[2:]).all(), f"{name}: dragging does not turn: {first} {turned}")
    page.drag((400, 150), (460, 170), shift=True)
    moved = eye()
    check((moved[:3] == turned[:3]).all() and numpy.linalg.norm(moved[3:] - turned[3:]) > 0.1, f"{name}: dragging with shift does not move: {turned} {moved}")
    page.wheel((400, 150), -300)
    check(eye()[2] < 0.8 * moved[2], f"{name}: the wheel does not come nearer")
    for key, (turn, rise) in {"1": (0, 0), "2": (numpy.pi / 2, 0), "3": (0, numpy.pi / 2)}.items():
        page.press(key)
        check(numpy.abs(eye()[:2] - [turn, rise]).max() < 1e-3, f"{name}: key {key} looks from {eye()[:2]}")
    page.press("0")
    check(numpy.abs(eye() - first).max() < 1e-9, f"{name}: 0 is not the first view")
    page.press("f", "f")   # all that moves, then the first body
    target, place = page.run("carom.viewer.draw(); const v = carom.viewer; return [v.camera.target.toArray(), v.worlds[0].seat(v.leader.thing, v.clock.t).toArray()]")
    check(numpy.abs(numpy.array(target) - place).max() < 1e-9, f"{name}: f does not follow")


def check_clock(name):
    """Speeds go down to a thousandth; a motion that ends begins again, or stops where it shall be shown once."""
    page.press(*["\ue015"] * 20)   # arrow down
    check(page.run("return carom.viewer.clock.speed") == 0.001, f"{name}: the slowest speed is not a thousandth")
    ended = "const {clock} = carom.viewer; clock.seek(clock.to - 1e-4); clock.speed = 1; clock.play(true); clock.advance(0.05); return [clock.t === clock.from, clock.playing]"
    check(page.run(ended) == [True, True], f"{name}: a loop does not begin again")
    page.press("l")
    check(page.run(ended.replace("clock.from", "clock.to")) == [True, False], f"{name}: a motion shown once does not stop")


def check_readout(name, result):
    """A click on a body lists its quantities, a click on one of these plots it; a click beside it closes the list. So for contacts."""
    row = 40
    page.seek(result["t"][row])
    (x, y), (dot_x, dot_y) = on_screen([[result["x3"][row], result["y3"][row] + 0.15, 0], [result["x2"][row], 0, 0]])
    text = lambda: page.run("carom.viewer.draw(); return document.getElementById('readout').hidden ? '' : document.getElementById('readout').innerText")
    page.click(x, y)
    check(text().startswith("block3"), f"{name}: a click on a body shows {text()!r}")
    page.click(dot_x, dot_y)
    said, plots = text(), page.run("return carom.viewer.plots.list.length")
    check(said.startswith("table2") and "PN" in said and "state" in said, f"{name}: a click on a contact shows {said!r}")
    page.run("[...document.querySelectorAll('#readout td.link')].find(cell => cell.textContent === 'PN').click()")
    added = page.run("const {list} = carom.viewer.plots; return [list.length, list[list.length - 1].curves[0].name]")
    check(added == [plots + 1, "table2.PN"], f"{name}: a click on a quantity plots {added}")
    page.click(*on_screen([[3.5, 0.9, 0]])[0])
    check(text() == "", f"{name}: a click on nothing leaves {text()!r}")
    check(page.run("return carom.viewer.plots.addNamed('T, V,E') && !carom.viewer.plots.addNamed('none') && carom.viewer.plots.list.at(-1).curves.length") == 3, f"{name}: three quantities in a panel")


def check_gaps(name, result):
    """The inset of gaps holds those of the file, as small as they are."""
    page.press("g")
    for row in (0, 50, 90):
        page.seek(result["t"][row])
        shown = page.run("const {gaps, clock} = carom.viewer; return gaps.all(clock.t).map(g => [g.name, g.gap])")
        kept = [result[f"table{i}.gap"][row] for i in (1, 2, 3)]
        check([n for n, _ in shown] == ["table1", "table2", "table3"] and numpy.allclose([g for _, g in shown], kept, rtol=1e-6, atol=0), f"{name}: gaps {shown}, not {kept}")
    drawn = page.run("const c = carom.viewer.gaps.canvas, d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; return d.some(x => x > 0)")
    check(drawn, f"{name}: the inset of gaps is empty")
    page.press("g")


def check_tools(name):
    """Also in a picture 200 pixels high every button is inside it, and the title beside them."""
    inside = page.run("""const stage = document.getElementById('stage');
        Object.assign(stage.style, {flex: '0 0 200px', minHeight: 0});
        const box = stage.getBoundingClientRect(), title = document.querySelector('header').getBoundingClientRect();
        const seen = [...document.querySelectorAll('#tools button, #tools select')].map(e => [e.title, e.getBoundingClientRect()]).filter(([, r]) => r.width > 0)
            .map(([name, r]) => [name, r.bottom <= box.bottom && r.left >= box.left && r.right <= box.right, r.left >= title.right || r.top >= title.bottom]);
        stage.removeAttribute('style');
        return seen""")
    check(len(inside) > 5 and all(seen and free for _, seen, free in inside), f"{name}: buttons are cut off or under the title: {inside}")


def check_holes(name):
    """What has no place is not drawn; the rest is, and the first view is finite."""
    check(page.look(0)["drawn"] > 100, f"{name}: nothing is drawn where one thing has no place")
    eye = page.run("const {distance, target} = carom.viewer.camera; return [distance, ...target.toArray()]")
    check(all(x is not None and numpy.isfinite(x) for x in eye), f"{name}: the eye is nowhere: {eye}")
    check(page.look(1)["drawn"] > 300, f"{name}: what has a place later is not drawn then")


def check_first(name):
    """Five seconds of swings of two are shown as they are: round-off has no say. Cones are faint only where many contacts press."""
    check(page.run("return carom.viewer.clock.speed") == 1, f"{name}: the first speed is {page.run('return carom.viewer.clock.speed')}")
    faint = page.run("return carom.viewer.worlds[0].contacts.cones.material.opacity")
    check(faint > 0.1, f"{name}: a single cone is as faint as {faint}")


result = page.load("states")
check_tools("states")
check_states("states", result)
check_gaps("states", result)
check_readout("states", result)
check_clock("states")
result = page.load("things")
check_between("things", result)
check_joints("things", result)
check_hulls("things", result)
page.load("things")
check_eye("things")
check_strain("bars", page.load("bars"))
result = page.load("holes")
check_holes("holes")
check_fine("holes", result)
page.load("swing")
check_first("swing")
page.close()
sys.exit(1 if failures else 0)
