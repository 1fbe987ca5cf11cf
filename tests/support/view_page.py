"""Pages of 'carom view' in a browser, compared with the results they show.

    view_page.py FOLDER    holding what tests/robustness/view.sh has made
"""
import os
import shutil
import sys
import urllib.error
from time import sleep

import h5py
import numpy

from viewed import LOOK, Viewed, check, failures

LEFT, RIGHT, HOME, END = "\ue012", "\ue014", "\ue011", "\ue010"
folder = os.path.abspath(sys.argv[1])
page = Viewed(folder)


def check_picture(name, result):
    first, last = result["t"][0], result["t"][-1]
    views = [page.look(t) for t in numpy.linspace(first, last, 4)]
    check(all(view["drawn"] > 300 for view in views), f"{name}: the picture is empty: {views}")
    check(len({view["sum"] for view in views}) == 4, f"{name}: the picture does not change: {views}")


def check_places(name, result, bodies):
    """At recorded times everything is where the file says: the issue asks for 1e-6 m; rounding is below 1e-8 of the range."""
    t, rows = result["t"][:], len(result["t"])
    for row in sorted({0, 1, rows // 3, rows // 2, rows - 2, rows - 1}):
        page.run("carom.seek(arguments[0])", t[row])
        for body, columns in bodies.items():
            place = numpy.array(page.run("return carom.place(arguments[0])", body))
            off = numpy.abs(place - [result[c][row] if isinstance(c, str) else c for c in columns]).max()
            check(off <= 1e-6, f"{name}: {body} is off by {off} m at row {row}")


def check_turns(name, result, body, columns):
    for row in (0, len(result["t"]) // 2, len(result["t"]) - 1):
        page.run("carom.seek(arguments[0])", result["t"][row])
        turn = numpy.array(page.run("return carom.turn(arguments[0])", body))
        same = abs(turn @ [result[c][row] for c in columns])
        check(same > 1 - 1e-12, f"{name}: {body} is turned otherwise at row {row}: {same}")


def check_quantities(name, result, names):
    """Quantities are floats: 2^-24 of their size."""
    for q in names:
        shown = numpy.array(page.run("const c = carom.clips[0]; return Array.from(c.columns[c.quantity.get(arguments[0]).at].all())", q), float)
        kept = result[q][:]
        check(len(shown) == len(kept) and numpy.allclose(shown, kept, rtol=2 ** -24, atol=1e-45, equal_nan=True), f"{name}: {q} differs")


def check_play(name):
    page.run("carom.seek(carom.viewer.clock.from)")
    page.press(" ")
    for _ in range(100):   # a busy machine draws a picture in seconds
        page.run("return new Promise(done => setTimeout(done, 200))")
        if page.time() > page.run("return carom.viewer.clock.from"):
            break
    page.press(" ")
    at = page.time()
    check(at > page.run("return carom.viewer.clock.from"), f"{name}: play does not advance")
    page.run("return new Promise(done => setTimeout(done, 200))")
    check(page.time() == at, f"{name}: pause does not stop")


def check_keys(name, result):
    t = result["t"][:]
    page.press(HOME)
    check(page.time() == t[0], f"{name}: home")
    page.press(RIGHT, RIGHT)
    check(page.time() == t[2], f"{name}: two frames on")
    page.press(LEFT)
    check(page.time() == t[1], f"{name}: one frame back")
    page.press(END)
    check(page.time() == t[-1], f"{name}: end")


def check_events(name, result):
    recorded, marks = result["#events/t"][:], numpy.array(page.run("return carom.viewer.clock.events.map(e => e.t)"))
    check(len(recorded) > 3 and numpy.array_equal(recorded, marks), f"{name}: marks {marks} for events {recorded}")
    page.press(HOME, "]")
    check(page.time() == recorded[0], f"{name}: the first event is at {recorded[0]}, not {page.time()}")
    x = page.run("return carom.viewer.timeline.x(arguments[0]) + document.getElementById('timeline').getBoundingClientRect().left", recorded[2])
    page.click(x, page.run("return document.getElementById('timeline').getBoundingClientRect().top") + 6)
    check(page.time() == recorded[2], f"{name}: a click on the third mark goes to {page.time()}, not {recorded[2]}")


def check_margins(name, result, bodies, fixed=()):
    """The first view shows the whole motion in the free part of the picture, and fills half of its width or height at least."""
    every = max(1, len(result["t"]) // 30)
    points = [[result[c][row] + side * half if c else side * half for c, side in zip(columns, sides)] for columns, half in bodies
              for row in range(0, len(result["t"]), every) for sides in numpy.vstack([numpy.eye(3), -numpy.eye(3)])]
    at, right, top = page.seen(points + list(fixed))
    low, high = at.min(axis=0), at.max(axis=0)
    check((low > 0).all() and high[0] < right and high[1] < top, f"{name}: the first view cuts off parts: {low} to {high} of {right}, {top}")
    check(max((high - low) / [right, top]) > 0.5, f"{name}: the eye is too far: {low} to {high}")


def check_follow(name, result):
    """A ball that flies 90 m is in the middle of the free part and as large as seen from near; without the eye that goes along its way is seen."""
    middle = []
    for row in (0, 100, 200, 300):
        page.run("carom.seek(arguments[0])", result["t"][row])
        centre = [result[c][row] for c in ("ball.x", "ball.y", "ball.z")]
        at, right, top = page.seen([centre, [centre[0], centre[1], centre[2] + 0.1]])
        check(numpy.abs(at[0] - [right / 2, top / 2]).max() < 0.02, f"{name}: the eye does not go along: {at[0]} at row {row}")
        check(at[1, 1] - at[0, 1] > 0.05, f"{name}: the ball is seen from too far: {at}")
    page.run("const {follower} = carom.viewer; follower.value = '-1'; follower.dispatchEvent(new Event('change')); carom.viewer.draw()")
    at, right, top = page.seen([[result[c][row] for c in ("ball.x", "ball.y", "ball.z")] for row in (0, 300)])
    check((at > 0).all() and (at < [right, top]).all() and abs(at[1, 0] - at[0, 0]) > 0.5 * right, f"{name}: the whole way is not seen: {at}")


def check_colours(name, result, bodies):
    """Equal bodies of different colours are all there, each in its own colour. The surroundings are grey: their colours differ by 20 at most."""
    page.run("carom.seek(arguments[0])", result["t"][0])
    places, _, _ = page.seen([[result[f"{body}.{axis}"][0] for axis in "xyz"] for body in bodies])
    colours = page.colours(places)
    check((numpy.ptp(colours, axis=1) > 24).all(), f"{name}: bodies are not seen: {colours.tolist()}")
    apart = [numpy.abs(a - b).sum() for k, a in enumerate(colours) for b in colours[:k]]
    check(min(apart) > 60, f"{name}: bodies have each other's colours: {colours.tolist()}")


TOUCHES = "return carom.viewer.worlds[0].contacts.touches.map(c => [c.state, ...c.point.toArray(), ...c.normal.toArray(), ...c.force.toArray()])"


def strikes_of(table, t):
    """Rows and entries at which a contact presses that did not touch at the row before, from the table of the file."""
    columns = {key: table[key][:] for key in ("t", "contact", "first", "second", "kind", "feature1", "feature2", "state", "PN")}
    rows, struck = [dict() for _ in t], set()
    for k, row in enumerate(numpy.searchsorted(t, columns["t"])):
        identity = tuple(columns[key][k] for key in ("contact", "first", "second", "kind", "feature1", "feature2"))
        if columns["state"][k] or columns["PN"][k] > 0:
            rows[row][identity] = columns["PN"][k]
    for row in range(1, len(t)):
        struck |= {(t[row], int(identity[0])) for identity, PN in rows[row].items() if PN > 0 and identity not in rows[row - 1]}
    return sorted(struck)


def check_found(name, result):
    """Contacts that were found are where the file says (1e-6 m), with its states, and forces to the seven digits of floats."""
    table, t = result["#contacts"], result["t"][:]
    kept, dt = numpy.column_stack([table[key][:] for key in ("t", "state", "x", "y", "z", "nx", "ny", "nz", "Px", "Py", "Pz")]), 0.004
    for row in numpy.linspace(0, len(t) - 1, 12).astype(int):
        page.run("carom.seek(arguments[0])", t[row])
        shown, there = numpy.array(page.run(TOUCHES)).reshape(-1, 10), kept[kept[:, 0] == t[row], 1:]
        check(shown.shape == there.shape and numpy.allclose(shown[:, :7], there[:, :7], rtol=0, atol=1e-6), f"{name}: contacts at row {row}")
        check(shown.shape == there.shape and numpy.allclose(shown[:, 7:] * dt, there[:, 7:], rtol=1e-6, atol=1e-12), f"{name}: forces at row {row}")
    struck = strikes_of(table, t)
    marks = page.run("return carom.viewer.clock.events.map(e => [e.t, carom.clips[0].found.entries.indexOf(e.contact), e.kind])")
    check(len(struck) > 5 and [(at, entry) for at, entry, kind in marks if kind == "strike"] == struck, f"{name}: strikes {marks}, not {struck}")
    page.run("carom.viewer.clock.speed = 0.001; carom.seek(arguments[0])", struck[0][0])
    check(page.run("return carom.viewer.worlds[0].contacts.flashes.count") > 0, f"{name}: no flash where balls strike")
    page.run("carom.seek(arguments[0])", struck[0][0] - 0.002)
    check(page.run("return carom.viewer.worlds[0].contacts.flashes.count") == 0, f"{name}: a flash before the first strike")
    page.run("carom.seek(arguments[0]); const [world] = carom.viewer.worlds; carom.viewer.readout.show(world.clip, world.contacts.touches[0].thing); carom.viewer.draw()", t[-1])
    said = page.run("return document.getElementById('readout').innerText")
    check(said.startswith("heap: b") and "gap" in said and "none" not in said, f"{name}: a found contact tells {said}")


def check_themes(name):
    page.load(name, "#t=0&theme=light")
    light = page.run(LOOK)["light"]
    page.press("d")
    page.run("carom.viewer.draw()")
    dark = page.run(LOOK)["light"]
    check(light > 150 and dark < 80, f"{name}: light {light}, dark {dark}")


result = page.load("space")
check_margins("space", result, [(("ball.x", "ball.y", "ball.z"), 0.1), (("block.x", "block.y", "block.z"), 0.05)])
check_picture("space", result)
check_places("space", result, {"ball": ["ball.x", "ball.y", "ball.z"], "block": ["block.x", "block.y", "block.z"]})
check_turns("space", result, "block", ["block.p0", "block.p1", "block.p2", "block.p3"])
check_play("space")
check_keys("space", result)
check_events("space", result)
check_themes("space")

result = page.load("formulas")
check_margins("formulas", result, [(("x", "y", None), 0.05)], [(-1, 0, 0), (2, 0, 0), (0, 2, 0)])
check_picture("formulas", result)
check_places("formulas", result, {"bob": ["x", "y", 0]})
check_quantities("formulas", result, ["x", "E", "floor.gap", "floor.PN", "root"])
check(numpy.isnan(result["root"][:]).any(), "formulas: no NaN to show")

result = page.load("throw")
check_follow("throw", result)

result = page.load("heap")
check_picture("heap", result)
check_colours("heap", result, ["b1", "b2", "b3", "b4"])
check_found("heap", result)

result = page.load("long", "#t=0")
kept = page.run("return [...carom.clips[0].t]")
check(len(kept) < len(result["t"]), "long: nothing was left out")
check(f"{len(kept)} of {len(result['t'])} rows" in page.run("return document.body.innerText"), "long: the page does not tell that rows are left out")
check(numpy.array_equal(page.run("return carom.viewer.clock.events.map(e => e.t)"), result["#events/t"][:]), "long: events are lost")
check_places("long", {key: result[key][:][numpy.isin(result["t"][:], kept)] for key in ("t", "ball.x", "ball.y", "ball.z")},
             {"ball": ["ball.x", "ball.y", "ball.z"]})

NAME = '<script>window.broken = 1</script> & "quotes" \' </title> \u2028\x85\ufeff.'
page.load("markup")
check(page.run("return document.title") == NAME and page.run("return document.getElementById('title').textContent") == NAME, "markup: the title")
check(page.run("return window.broken === undefined"), "markup: a title is run as a script")
check(page.run("return carom.viewer.worlds.length") == 1, "markup: the scene of the result cannot be read")

page.load("plain")
note = page.run("return document.getElementById('notes').innerText")
check("'draw' in the model says what to draw" in note, f"plain: {note}")
check(page.run("return carom.viewer.plots.list.length") > 0, "plain: no plots")

page.load("both", "#t=0")
check(page.run("return carom.viewer.worlds.length") == 2, "both: two results")
coarse = h5py.File(f"{folder}/coarse.h5")
for row in (0, 20, 60):
    page.run("carom.seek(arguments[0])", coarse["t"][row])
    place = page.run("return carom.place('bob', 1)")
    check(numpy.abs(numpy.array(place) - [coarse["x"][row], coarse["y"][row], 0]).max() <= 1e-6, f"both: the second result at row {row}")
over = page.run(LOOK)
page.press("s")
page.run("carom.viewer.draw()")
check(page.run(LOOK)["sum"] != over["sum"], "both: side by side looks as on top of each other")
page.press("g")
check(page.run("return carom.viewer.gaps.all(0).map(g => g.name)") == ["floor (rattle)", "floor (moreau)"], "both: gaps of both results")
check(all(len(c) == 2 for c in page.run("return carom.viewer.plots.list.map(p => p.curves.map(c => c.name))")), "both: panels do not hold both")

def check_report():
    """Motions in a report: nothing is unpacked before its button; then the frame shows what the file of its run holds."""
    page.open("about:blank")
    page.said(), page.requests()
    page.open(f"file://{folder}/report/index.html")
    parts = page.run("return ['three', 'viewer', 'numbers-', 'clip-'].map(id => document.querySelectorAll(`[id^=${id}]`).length)")
    check(parts == [1, 1, 2, 2], f"report: one viewer and two motions: {parts}")
    check(page.run("return document.querySelectorAll('iframe').length") == 0, "report: a motion is shown unasked")
    frame = "document.querySelector('iframe')"
    for n, dt in enumerate((0.02, 0.01)):
        page.run("document.querySelectorAll('.motion button')[arguments[0]].click()", n)
        page.run(f"return new Promise(done => {{ const wait = () => {frame}?.contentWindow.carom ? done(true) : setTimeout(wait, 20); wait(); }})")
        page.run(f"{frame}.contentWindow.carom.seek(0.4)")
        place = page.run(f"return {frame}.contentWindow.carom.place('bob')")
        kept = h5py.File(f"{folder}/{'formulas' if n else 'shown_report'}.h5")
        row = numpy.argmin(numpy.abs(kept["t"][:] - 0.4))
        check(numpy.abs(numpy.array(place) - [kept["x"][row], kept["y"][row], 0]).max() <= 1e-6, f"report: motion {n} is not that of dt {dt}")
        view = page.run(LOOK.replace("document.getElementById('picture')", f"{frame}.contentDocument.getElementById('picture')"))
        check(view["drawn"] > 300, f"report: the picture is empty: {view}")
        page.run("document.querySelectorAll('.motion button')[arguments[0]].click()", n)
    check(page.run("return document.querySelectorAll('iframe').length") == 0, "report: a motion cannot be closed")
    check(not page.said(), "report: says something on the console")
    loose = [r for r in page.requests() if not r.startswith(("file:", "blob:", "data:", "about:"))]
    check(not loose, f"report: asks for {loose}")


if os.path.exists(f"{folder}/report/index.html"):
    check_report()

def once_there(script):
    """What a page returns that may be about to read itself again: it is asked until it is there."""
    for _ in range(300):
        try:
            answer = page.run(f"return window.carom ? (() => {{ {script} }})() : null")
        except urllib.error.HTTPError:
            answer = None
        if answer is not None:
            return answer
        sleep(0.1)
    return None


def check_live():
    """The page of a run at work shows the end of what there is. When it is written again, it shows the new end, from the same place, in the same theme."""
    shown = "const [{rows, t}] = carom.clips, {clock, camera} = carom.viewer; return {rows, end: t[t.length - 1], t: clock.t, turn: camera.turn, dark: document.documentElement.classList.contains('dark')}"
    shutil.copy(f"{folder}/live_first.html", f"{folder}/live_page.html")
    page.open(f"file://{folder}/live_page.html#theme=dark")
    for _ in range(300):   # a page that is about to be read again does not keep it: until one has taken it over
        first = once_there("Object.assign(carom.viewer.camera, {turn: 1.25}); carom.viewer.camera.tell();" + shown)
        if once_there("return location.hash.includes('eye=1.25')"):
            break
        sleep(0.1)
    check(first["t"] == first["end"], f"live: shows {first['t']}, the end is {first['end']}")
    shutil.copy(f"{folder}/live.html", f"{folder}/live_page.html")
    last = first
    for _ in range(300):   # it reads itself again after two seconds, or when a busy machine gets to it
        if last["rows"] > first["rows"]:
            break
        sleep(0.2)
        last = once_there(shown)
    final = h5py.File(f"{folder}/live.h5")
    check(last["rows"] == len(final["t"]) > first["rows"], f"live: {last} follows on {first}, not {len(final['t'])} rows")
    check(last["t"] == final["t"][-1], f"live: shows {last['t']}, the new end is {final['t'][-1]}")
    check(abs(last["turn"] - 1.25) < 1e-9 and last["dark"], f"live: the eye or the theme has changed: {last}")


check_live()

page.load("killed")
check("has not ended, or was killed" in page.run("return document.body.innerText"), "killed: the page does not tell")
page.load("single")
page.press(" ", RIGHT, END)
check(page.time() == page.run("return carom.clips[0].t[0]"), "single: one row")

page.close()


def check_phone(name):
    """On a phone nothing sticks out, a finger turns, two come nearer, a tap on the line of time goes there."""
    page.load(name)
    check(page.run("return document.documentElement.scrollWidth <= innerWidth && innerWidth === 390"), f"{name}: the page is wider than a phone")
    out = page.run("return [...document.querySelectorAll('button, select')].filter(e => e.offsetWidth).map(e => [e.title, e.getBoundingClientRect()]).filter(([, r]) => r.right > innerWidth || r.left < 0 || r.top < 0).map(([title]) => title)")
    check(not out, f"{name}: {out} stick out of a phone")
    eye = lambda: page.run("const {turn, distance} = carom.viewer.camera; return [turn, distance]")
    before = eye()
    page.touch([(150, 200), (180, 210), (230, 220)])
    turned = eye()
    check(abs(turned[0] - before[0]) > 0.1, f"{name}: a finger does not turn: {before} {turned}")
    page.touch([(180, 200), (160, 200), (120, 200)], [(200, 200), (220, 200), (260, 200)])
    check(eye()[1] < 0.7 * turned[1], f"{name}: two fingers do not come nearer: {turned} {eye()}")
    box = page.run("const r = document.getElementById('timeline').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]")
    page.touch([(box[0] + box[2] / 2, box[1] + 25)])
    part = page.run("const {t, from, to} = carom.viewer.clock; return (t - from) / (to - from)")
    check(abs(part - 0.5) < 0.02, f"{name}: a tap in the middle of the line of time goes to {part}")
    page.run("document.querySelector('.more').click()")
    check(page.run("return document.querySelector('[title^=contacts]').offsetWidth") > 0, f"{name}: a phone does not reach what to show")


page = Viewed(folder, phone=(390, 844))
check_phone("space")

sys.exit(1 if failures else 0)
