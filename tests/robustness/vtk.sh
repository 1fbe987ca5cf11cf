#!/bin/bash
# carom export --vtk, read back by VTK itself: pieces, times, shapes where the mechanics puts them, forces of contacts.
. tests/robustness/support.bash
python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$candidate" -c "import vtk" 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo "SKIPPED: no VTK for Python (Debian package python3-vtk9, scripts/deps --test)"; exit 77; }
cd "$scratch" || exit 1

# A ball that slides on the table and passes over a point; nothing pushes it along y.
cat >ball.yaml <<'SCENE'
carom: 1
title: Ball on a table
parameters: {r: 0.25, g: 9.81, m: 2}
model:
  gravity: [0, 0, -g]
  bodies:
    ball:
      {type: spatial, mass: m, inertia: [0.05, 0.05, 0.05], position: [0, 0.5, r], velocity: [2, 0, 0],
       shape: [{sphere: r}, {plane: [0, 0, 1], at: [0, 0, 10]}]}
    bead: {type: point, mass: 1, position: [0, 0, 1], velocity: [0, 1, 0]}
  contacts:
    table:
      gap: ball.z - r
      slip: [ball.x_dot - r*(ball.R21*ball.wx + ball.R22*ball.wy + ball.R23*ball.wz),
             ball.y_dot + r*(ball.R11*ball.wx + ball.R12*ball.wy + ball.R13*ball.wz)]
      friction: 0.2
      draw: {at: [ball.x, ball.y, ball.z - r], normal: [0, 0, 1], tangent1: [1, 0, 0], tangent2: [0, 1, 0]}
    ceiling: {gap: 10 - bead.z, draw: {at: [bead.x, bead.y, 10], normal: [0, 0, -1]}}
run: {integrator: rattle, dt: 0.01, until: 0.2}
SCENE
expect 0 "" "$carom" run ball.yaml
expect 0 "" "$carom" export ball.h5 --vtk series --every 5
grep -qx "series/ball.pvd: 5 instants" stdout || wrong "it says '$(cat stdout)'"
expect 0 "" "$carom" export ball.h5 --csv ball.csv
"$python" - <<'CHECK' || wrong "the series is not what it should be"
import csv, os, vtk
import xml.etree.ElementTree as xml

rows = {round(float(row["t"]), 9): row for row in csv.DictReader(open("ball.csv"))}
m, r, g, mu = 2, 0.25, 9.81, 0.2

def near(a, b, what, tolerance=1e-12):
    assert abs(a - b) <= tolerance, f"{what}: {a} instead of {b}"

def read(file):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(os.path.join("series", file))
    reader.Update()
    return reader.GetOutput()

def names(data):
    array = data.GetFieldData().GetAbstractArray("names")
    return [array.GetValue(i) for i in range(array.GetNumberOfValues())]

sets = xml.parse("series/ball.pvd").getroot().findall("Collection/DataSet")
times = sorted({float(s.get("timestep")) for s in sets})
assert len(times) == 5 and len(sets) == 10, (len(times), len(sets))
for k, t in enumerate(times):
    near(t, 0.05 * k, "time")
assert len(os.listdir("series")) == 11, os.listdir("series")

for s in sets:
    t, data = float(s.get("timestep")), read(s.get("file"))
    row = rows[round(t, 9)]
    near(data.GetFieldData().GetArray("TimeValue").GetValue(0), t, "TimeValue", 0)
    if s.get("name") == "bodies":
        assert names(data) == ["ball", "bead"], names(data)
        cells = data.GetCellData().GetArray("body")
        assert {cells.GetValue(i) for i in range(data.GetNumberOfCells())} == {0, 1}
        low, high = [9.0] * 3, [-9.0] * 3
        for i in range(data.GetNumberOfPoints()):
            x = data.GetPoint(i)
            if x[2] < 0.75:  # below the bead and the plane
                low = [min(a, b) for a, b in zip(low, x)]
                high = [max(a, b) for a, b in zip(high, x)]
        # It slides until t = 0.29: x = 2 t - mu g t^2/2, a parabola, which rattle meets; y stays. The surface is a
        # polyhedron with its corners on the sphere, 2 pi/32 apart in both angles: its box lacks at most
        # r (1 - cos(pi/32)^2) = 2.41e-3 on each side.
        near(float(row["ball.x"]), 2 * t - mu * g * t * t / 2, "x of the ball in the result", 1e-9)
        centre = [(a + b) / 2 for a, b in zip(low, high)]
        near(centre[0], 2 * t - mu * g * t * t / 2, "x of the ball", 2.41e-3)
        near(centre[1], 0.5, "y of the ball", 1e-9)
        near(centre[2], r, "z of the ball", 2.41e-3)
        for i in range(3):
            near(high[i] - low[i], 2 * r, "width of the ball", 4.82e-3)
        for i in range(data.GetNumberOfPoints()):
            x = data.GetPoint(i)
            if x[2] < 0.75:
                d = sum((a - float(row["ball." + n])) ** 2 for a, n in zip(x, "xyz")) ** 0.5
                near(d, r, "points of the ball are on its sphere", 1e-9)
        edges = vtk.vtkFeatureEdges()  # faces that fit: the only edges without a neighbour are the plane's
        edges.SetInputData(data)
        edges.BoundaryEdgesOn(), edges.FeatureEdgesOff(), edges.NonManifoldEdgesOff(), edges.ManifoldEdgesOff()
        edges.Update()
        out = edges.GetOutput()
        assert all(out.GetPoint(i)[2] > 9 for i in range(out.GetNumberOfPoints()))
        volume = 0  # faces are counterclockwise seen from outside: the volume is positive
        for i in range(data.GetNumberOfCells()):
            x = [data.GetPoint(data.GetCell(i).GetPointId(k)) for k in range(data.GetCell(i).GetNumberOfPoints())]
            for k in range(1, len(x) - 1):
                a, b, c = x[0], x[k], x[k + 1]
                cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
                volume += (a[2] < 0.75) * sum(p * q for p, q in zip(a, cross)) / 6
        # (2 pi/32)^2 (1/6 + 1/4) of the volume is missing: parallels and meridians are polygons
        near(volume, 4 / 3 * 3.14159265 * r**3, "volume of the ball", 0.0165 * 4 / 3 * 3.14159265 * r**3)
    else:
        assert names(data) == ["table", "ceiling"], names(data)
        assert data.GetNumberOfPoints() == 2
        arrays = data.GetPointData()
        force = arrays.GetArray("force").GetTuple3(0)
        near(force[2], float(row["table.PN"]) / 0.01, "normal force", 1e-9)
        near(force[0], float(row["table.PF1"]) / 0.01, "friction", 1e-9)
        near(force[1], float(row["table.PF2"]) / 0.01, "friction", 1e-9)
        if t > 0:  # the ball rests on the table and slides: m g and mu m g
            near(force[2], m * g, "weight", 1e-9 * m * g)
            near(force[0], -mu * m * g, "Coulomb", 1e-6 * m * g)
        assert arrays.GetArray("force").GetTuple3(1) == (0, 0, 0)
        for name in "gap", "state", "PN":
            for i, contact in enumerate(["table", "ceiling"]):
                near(arrays.GetArray(name).GetValue(i), float(row[contact + "." + name]), name, 0)
        near(data.GetPoint(0)[2], 0, "height of the table", 1e-9)
        near(data.GetPoint(1)[1], t, "the bead", 1e-12)
CHECK

# Contacts that are found: a die slides beside a post and comes over a step of the floor, in the air, then on it.
cat >die.yaml <<'SCENE'
carom: 1
title: Die
parameters: {m: 2, g: 10, mu: 0.25, a: 0.2}
model:
  gravity: [0, 0, -g]
  bodies:
    die: {type: spatial, mass: m, shape: {box: [a, a, a]}, position: [0, 0, 0.005 + a/2], velocity: [1, 0, 0]}
  contacts:
    ceiling: {gap: 10 - die.z, draw: {at: [die.x, die.y, 10], normal: [0, 0, -1]}}
    post: {among: [[die], [{body: world, box: [0.1, 0.1, 3], at: [0, 2, 0]}]]}
    floor: {among: [[die], [{body: world, plane: [0, 0, 1]}]], friction: mu}
run: {integrator: rattle, dt: 1e-3, until: 0.06}
SCENE
expect 0 "" "$carom" run die.yaml
expect 0 "" "$carom" export die.h5 --vtk dice --every 10
"$python" - <<'CHECK' || wrong "contacts that are found are not what they should be"
import vtk

m, g, mu, a = 2, 10, 0.25, 0.2
for k in range(7):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(f"dice/die_contacts_{k:06d}.vtp")
    reader.Update()
    data = reader.GetOutput()
    entries = data.GetFieldData().GetAbstractArray("names")
    assert [entries.GetValue(i) for i in range(entries.GetNumberOfValues())] == ["ceiling", "post", "floor"]
    of = [data.GetCellData().GetArray("contact").GetValue(i) for i in range(data.GetNumberOfCells())]
    # It falls for (2 h/g)^1/2 = 0.032 s; then four corners lie on the floor, and carry the weight and m g mu against the slip.
    assert of == [0] + (4 * [2] if k > 3 else []), (k, of)
    force, total = data.GetPointData().GetArray("force"), [0, 0, 0]
    for i in range(1, len(of)):
        total = [total[j] + force.GetTuple3(i)[j] for j in range(3)]
        x = data.GetPoint(i)
        assert abs(abs(x[1]) - a / 2) < 1e-9 and abs(x[2]) < 1e-9, x
        assert abs(data.GetPointData().GetArray("gap").GetValue(i)) < 1e-9
    expected = [-mu * m * g, 0, m * g] if k > 3 else [0, 0, 0]
    assert all(abs(total[j] - expected[j]) < 1e-6 * m * g for j in range(3)), (k, total)
CHECK

# Springs of no force: lines whose ends are where the bodies fly.
cat >springs.yaml <<'SCENE'
carom: 1
title: Springs
model:
  bodies:
    bead: {type: point, mass: 1, position: [0, 0, 1], velocity: [0, 1, 0]}
    brick: {type: spatial, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0], velocity: [0, 0, -3]}
  springs:
    anchor: {between: [world, bead], points: [[1, 2, 3], [0, 0, 0]], force: 0*length}
    tie: {between: [bead, brick], points: [[0, 0, 0], [0.5, 0, 0]], force: 0*length}
run: {integrator: rattle, dt: 0.01, until: 0.2}
SCENE
expect 0 "" "$carom" run springs.yaml
expect 0 "" "$carom" export springs.h5 --vtk springs --times 0,0.1,0.2
"$python" - <<'CHECK' || wrong "the springs are not what they should be"
import vtk

for k, t in enumerate([0, 0.1, 0.2]):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(f"springs/springs_lines_{k:06d}.vtp")
    reader.Update()
    data = reader.GetOutput()
    names = data.GetFieldData().GetAbstractArray("names")
    assert [names.GetValue(i) for i in range(names.GetNumberOfValues())] == ["anchor", "tie"]
    assert data.GetNumberOfLines() == data.GetNumberOfCells() == 2
    bead = (0, t, 1)
    for i, ends in enumerate([[(1, 2, 3), bead], [bead, (2.5, 0, -3 * t)]]):
        cell = data.GetCell(i)
        assert data.GetCellData().GetArray("line").GetValue(i) == i
        assert cell.GetNumberOfPoints() == 2
        for j in range(2):  # uniform motion, which rattle meets up to the rounding of 20 steps
            x = data.GetPoint(cell.GetPointId(j))
            assert all(abs(a - b) < 1e-14 for a, b in zip(x, ends[j])), (t, i, x, ends[j])
CHECK
finish
