"""What pages of 'carom view' cost a browser without a graphics card: until the first picture is there, and per picture.

    scripts/bench view [ROWS [BALLS]]     a result of ROWS rows with 20 balls (1e5), one of 101 rows with BALLS balls (1e4)

Seconds of processor time of the page itself (its process), of the browser around it, and of the process that draws, which a graphics card
replaces; from a browser that is at rest, with its own first page shown, until the first picture is there and the buttons answer. Of a picture also what the
page does before it is drawn, by its own clock (least, median and mean of a hundred instants, no two between the same rows), and what a
graphics card has to draw. Needs chromium and chromedriver.
"""
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import browser  # noqa: E402

CAROM = os.environ.get("CAROM_PROGRAM", os.path.join(ROOT, "build/carom"))
SCENE = """carom: 1
title: {count} balls
parameters: {{n: {count}, k: {edge}, R: 0.1}}
model:
  gravity: [0, 0, -9.81]
  bodies:
    ball[i=1..n]:
      type: spatial
      mass: 1
      shape: {{sphere: R}}
      position: [3*R*(i - 1 - k*floor((i - 1)/k)), 3*R*(floor((i - 1)/k) - k*floor((i - 1)/k^2)), 3*R*floor((i - 1)/k^2) + 0.05*sin(i)]
      velocity: [0.1*sin(i), 0.1*cos(i), 5]
      angular_velocity: [sin(i), cos(2*i), 1]
run: {{integrator: moreau, dt: {dt}, until: {until}}}
"""
# The page asks for its first picture while it is made: it is there a picture after the page is.
WAIT = """return new Promise(done => {
  const wait = () => window.carom ? requestAnimationFrame(() => requestAnimationFrame(() => done(true))) : setTimeout(wait, 20);
  wait();
})"""
SHOWN = "const gl = carom.viewer.stage.renderer.getContext(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));"
# Milliseconds for placing everything at an instant, without drawing; calls and triangles of a picture.
PLACING = """
const {worlds, clock, camera} = carom.viewer, times = [];
for (let i = 0; i < 100; i++) {
  const start = performance.now();
  for (const world of worlds) world.update(clock.from + (clock.to - clock.from) * (i + 0.5) / 100, 1, camera.direction());
  times.push(performance.now() - start);
}
const {calls, triangles} = carom.viewer.stage.renderer.info.render;
times.sort((a, b) => a - b);
return [times[0], times[50], times.reduce((sum, time) => sum + time) / 100, calls, triangles];
"""
KINDS = {"--type=renderer": "page", "--type=gpu-process": "drawing"}


def parent_and_time(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def used(driver):
    """Processor time of the processes below the driver, by kind."""
    known = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            known[int(entry)] = parent_and_time(entry)
        except OSError:
            pass
    times = dict.fromkeys(("page", "browser", "drawing"), 0.0)
    for process, (above, seconds) in known.items():
        while above in known and above != driver:
            above = known[above][0]
        if above == driver:
            with open(f"/proc/{process}/cmdline", encoding="utf-8") as file:
                said = file.read().replace("\0", " ").split()
            times[next((KINDS[word] for word in said if word in KINDS), "browser")] += seconds
    return times


def rest(driver):
    """Waits until the browser has shown its own first page: a second without work."""
    before = None
    while before != (now := sum(used(driver).values())):
        before = now
        time.sleep(1)


def spent(driver, work):
    before = used(driver)
    work()
    return {kind: seconds - before[kind] for kind, seconds in used(driver).items()}


def make_page(folder, name, **numbers):
    base = os.path.join(folder, name)
    with open(base + ".yaml", "w", encoding="utf-8") as file:
        file.write(SCENE.format(**numbers))
    for step in (["run", base + ".yaml", "--quiet", "--out", base + ".h5"], ["view", base + ".h5", "--no-open", "--out", base + ".html"]):
        subprocess.run([CAROM] + step, check=True, stdout=subprocess.DEVNULL)
    return base


def measure(base, pictures):
    page = browser.Browser(["--window-size=1280,800"])
    page.open("about:blank")
    rest(page.driver.pid)

    def show():
        page.open(f"file://{base}.html#t=0")
        page.run(WAIT)
        page.run(SHOWN)

    def play():
        page.run("for (let i = 1; i <= arguments[0]; i++) { carom.seek(carom.viewer.clock.to * i / arguments[0]); " + SHOWN + " }", pictures)

    opened, played = spent(page.driver.pid, show), spent(page.driver.pid, play)
    least, median, mean, calls, triangles = page.run(PLACING)
    rows = page.run("return carom.clips[0].frames + ' of ' + carom.clips[0].rows")
    page.close()
    size = os.stat(base + ".html").st_size / 1e6
    print(f"{os.path.basename(base):>6} {rows:>16} rows {size:5.1f} MB   opening: {sum(opened.values()):.2f} s:",
          ", ".join(f"{kind} {seconds:.2f} s" for kind, seconds in opened.items()))
    print(f"{'':>30} per picture:", ", ".join(f"{kind} {1000 * seconds / pictures:.0f} ms" for kind, seconds in played.items()))
    print(f"{'':>30} placing: least {least:.2f}, median {median:.2f}, mean {mean:.2f} ms; {calls} calls, {triangles} triangles", flush=True)


def main():
    rows, balls = (int(float(word)) for word in (sys.argv[1:] + ["1e5", "1e4"][len(sys.argv) - 1:])[:2])
    with tempfile.TemporaryDirectory() as folder:
        measure(make_page(folder, "rows", count=20, edge=5, dt=1e-4, until=1e-4 * rows), 20)
        measure(make_page(folder, "balls", count=balls, edge=22, dt=0.01, until=1), 5)


main()
