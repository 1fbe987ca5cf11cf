"""A page of 'carom view' in a browser, and what is seen in it."""
import os
import sys

import h5py
import numpy

from browser import Browser

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("WRONG:", what)


# How many pixels of the picture are not background, how bright it is, and a sum that tells pictures apart.
LOOK = """
const picture = document.getElementById('picture'), copy = document.createElement('canvas');
Object.assign(copy, {width: picture.width, height: picture.height});
const c = copy.getContext('2d');
c.drawImage(picture, 0, 0);
const pixels = c.getImageData(0, 0, copy.width, copy.height).data;
let drawn = 0, light = 0, sum = 0;
for (let i = 0; i < pixels.length; i += 4) {
  light += pixels[i];
  sum = (31 * sum + pixels[i] + 3 * pixels[i + 1]) % 1000003;
  if (Math.abs(pixels[i] - pixels[0]) + Math.abs(pixels[i + 1] - pixels[1]) + Math.abs(pixels[i + 2] - pixels[2]) > 30) drawn++;
}
return {drawn, light: 4 * light / pixels.length, sum};
"""

# Points in metres as the part of the picture from its left and bottom edge, 0 to 1; and how much of it is free of text and buttons.
SEEN = """
const {worlds: [world], camera} = carom.viewer, {top, right} = camera.covered();
camera.place(camera.canvas.clientWidth / camera.canvas.clientHeight);
return {points: arguments[0].map(p => new THREE.Vector3(...p).multiplyScalar(world.scale).add(world.group.position).project(camera.eye)).map(p => [(p.x + 1) / 2, (p.y + 1) / 2]), top, right};
"""

# The colours of the picture at its parts from the left and bottom edge.
COLOURS = """
const picture = document.getElementById('picture'), copy = document.createElement('canvas');
Object.assign(copy, {width: picture.width, height: picture.height});
const c = copy.getContext('2d');
c.drawImage(picture, 0, 0);
return arguments[0].map(([x, y]) => [...c.getImageData(Math.round(x * copy.width), Math.round((1 - y) * copy.height), 1, 1).data].slice(0, 3));
"""


class Viewed(Browser):
    def __init__(self, folder, **more):
        """folder: holds pages NAME.html, and results NAME.h5 of the same names."""
        super().__init__(**more)
        self.folder = folder

    def load(self, name, hash="#t=0"):
        """Opens a page, which says nothing on the console and asks for nothing from anywhere; its result, where there is one."""
        self.open("about:blank")
        self.said(), self.requests()
        self.open(f"file://{self.folder}/{name}.html{hash}")
        there = self.run("return new Promise(done => { let left = 6000; const wait = () => window.carom || !left-- ? done(!!window.carom) : setTimeout(wait, 20); wait(); })")
        if not there:
            sys.exit(f"{name}: the page does not come up: {self.said()}")
        loose = [r for r in self.requests() if not r.startswith(("file:", "blob:", "data:"))]
        check(not loose, f"{name}: asks for {loose}")
        said = self.said()
        check(not said, f"{name}: says something on the console: {said}")
        return h5py.File(f"{self.folder}/{name}.h5") if os.path.exists(f"{self.folder}/{name}.h5") else None

    def time(self):
        return self.run("return carom.viewer.clock.t")

    def seek(self, t):
        self.run("carom.seek(arguments[0])", t)

    def look(self, t):
        self.seek(t)
        return self.run(LOOK)

    def seen(self, points):
        """Where points are in the picture, and how far its free part goes to the right and up."""
        answer = self.run(SEEN, [[float(x) for x in p] for p in points])
        return numpy.array(answer["points"]), 1 - answer["right"], 1 - answer["top"]

    def colours(self, places):
        return numpy.array(self.run(COLOURS, places.tolist()), int)
