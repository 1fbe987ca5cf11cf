// Lines, tubes, springs, polygons, texts and paths.
import {pointOf} from './clip.js';

const TEXT = 18, TEXT_PART = 0.03;   // height of texts with the air around them: pixels, at least this part of the picture
const SIDES = 8, COILS = 8, PER_COIL = 16;

// A tube through points, whose cross sections turn as little as possible along it.
class Tube {
  constructor(count, radius, sides = SIDES) {
    Object.assign(this, {count, radius, sides, geometry: new THREE.BufferGeometry()});
    const corners = 3 * count * sides, index = [];
    this.position = new THREE.BufferAttribute(new Float32Array(corners), 3);
    this.normal = new THREE.BufferAttribute(new Float32Array(corners), 3);
    this.colour = new THREE.BufferAttribute(new Float32Array(corners).fill(1), 3);
    for (let i = 0; i + 1 < count; i++)
      for (let j = 0; j < sides; j++) {
        const a = i * sides + j, b = i * sides + (j + 1) % sides;
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
    this.geometry.setAttribute('position', this.position).setAttribute('normal', this.normal).setAttribute('color', this.colour);
    this.geometry.setIndex(index);
  }
  update(points) {
    const {count, sides, radius, position, normal} = this, p = points.map(x => new THREE.Vector3(...x));
    let across = null;
    for (let i = 0; i < count; i++) {
      const along = new THREE.Vector3().subVectors(p[Math.min(i + 1, count - 1)], p[Math.max(i - 1, 0)]).normalize();
      if (!across) across = Math.abs(along.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
      across = across.clone().addScaledVector(along, -across.dot(along)).normalize();
      const third = new THREE.Vector3().crossVectors(along, across);
      for (let j = 0; j < sides; j++) {
        const angle = 2 * Math.PI * j / sides, n = across.clone().multiplyScalar(Math.cos(angle)).addScaledVector(third, Math.sin(angle));
        normal.setXYZ(i * sides + j, n.x, n.y, n.z);
        position.setXYZ(i * sides + j, p[i].x + radius * n.x, p[i].y + radius * n.y, p[i].z + radius * n.z);
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
  }
}

// The points of a spring: a helix between two straight ends, each a tenth of the length.
function springPoints([from, to], radius, size) {
  const d = new THREE.Vector3(...to).sub(new THREE.Vector3(...from)), length = d.length(), z = d.clone().normalize();
  const r = radius > 0 ? radius : Math.min(0.02 * size, 0.2 * length), count = COILS * PER_COIL;
  const x = new THREE.Vector3(z.x === 0 && z.y === 0 ? 1 : -z.y, z.x === 0 && z.y === 0 ? 0 : z.x, 0).normalize(), y = new THREE.Vector3().crossVectors(z, x);
  const inner = Array.from({length: count + 1}, (_, k) => {
    const part = k / count, turn = 2 * Math.PI * COILS * part;
    return new THREE.Vector3(...from).addScaledVector(d, 0.1 + 0.8 * part).addScaledVector(x, r * Math.sin(turn)).addScaledVector(y, r * Math.cos(turn)).toArray();
  });
  const end = part => new THREE.Vector3(...from).addScaledVector(d, part).toArray();
  return [from, end(0.08), ...inner, end(0.92), to];
}

// ---- strain of a tube: how much longer each piece is than at the start, and how much more it bends

const between = (a, b) => Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);

function bend(points, i) {
  if (i === 0 || i === points.length - 1) return 0;
  const [a, b, c] = points.slice(i - 1, i + 2).map(x => new THREE.Vector3(...x));
  return b.clone().sub(a).angleTo(c.clone().sub(b)) / ((between(points[i - 1], points[i]) + between(points[i], points[i + 1])) / 2);
}

function strainOf(points, start, radius) {
  return points.map((x, i) => {
    const from = Math.max(0, i - 1), to = Math.min(points.length - 1, i + 1);
    let now = 0, then = 0;
    for (let k = from; k < to; k++) { now += between(points[k], points[k + 1]); then += between(start[k], start[k + 1]); }
    const longer = now / then - 1;
    return longer + Math.sign(longer || 1) * radius * Math.abs(bend(points, i) - bend(start, i));
  });
}

// Blue where it is pressed, red where it is pulled, grey where neither.
function paintStrain(tube, strain, greatest, own) {
  const blue = new THREE.Color('#3b6fe0'), red = new THREE.Color('#e0402f');
  strain.forEach((e, i) => {
    const mixed = own.clone().lerp(e < 0 ? blue : red, Math.min(1, Math.abs(e) / greatest));
    for (let j = 0; j < tube.sides; j++) tube.colour.setXYZ(i * tube.sides + j, mixed.r, mixed.g, mixed.b);
  });
  tube.colour.needsUpdate = true;
}

// ---- each kind of thing gives a function that places it

function addTube(world, thing, count, radius, pointsAt) {
  const tube = new Tube(count, radius), material = world.stage.material(thing.kind === 'tube' ? thing : {...thing, ground: true});
  const mesh = new THREE.Mesh(tube.geometry, material);
  Object.assign(mesh, {frustumCulled: false, castShadow: true});
  const outline = new THREE.Mesh(tube.geometry, world.stage.outlineMaterial());
  outline.frustumCulled = false;
  world.group.add(mesh);
  if (thing.kind === 'tube') world.group.add(outline);
  return {mesh, tube, material, place: where => { const p = pointsAt(where); tube.update(p); mesh.visible = outline.visible = p.flat().every(Number.isFinite); return p; }};
}

function points(world, thing, where) {
  const up = world.lift(thing);
  return Array.from({length: thing.count}, (_, n) => pointOf(world.clip, thing, where, n)).map(([x, y, z]) => [x, y, z + up]);
}

function addLine(world, thing) {
  const {place} = addTube(world, thing, thing.count, thing.kind === 'tube' ? thing.radius : 0.004 * world.scope, where => points(world, thing, where));
  if (thing.ground && world.planar) return placeHatched(world, thing, place);
  return place;
}

// The greatest strain in about a hundred frames.
function greatestStrain(world, thing, start) {
  const frames = world.clip.t.length, step = Math.max(1, Math.floor(frames / 100));
  let greatest = 0;
  for (let i = 0; i < frames; i += step)
    for (const e of strainOf(points(world, thing, {i, s: 0}), start, thing.radius)) if (Math.abs(e) > greatest) greatest = Math.abs(e);
  return greatest;
}

// Strains below 1e-6 are round-off of what the page holds: such a tube is rigid.
function addFlexible(world, thing) {
  const {place, tube, material} = addTube(world, thing, thing.count, thing.radius, where => points(world, thing, where));
  const start = points(world, thing, {i: 0, s: 0}), greatest = greatestStrain(world, thing, start);
  if (!(greatest > 1e-6)) return place;
  const own = new THREE.Color('#d5dae1');   // of what is not strained
  material.color.set(0xffffff);
  world.strains.push({name: thing.name, greatest});
  return where => paintStrain(tube, strainOf(place(where), start, thing.radius), greatest, own);
}

// Strokes to the right of the way along a line of the ground.
function hatches(line, step) {
  const corners = [];
  let along = 0;
  for (let i = 0; i + 1 < line.length; i++) {
    const [a, b] = [line[i], line[i + 1]], length = between(a, b), d = [0, 1].map(k => (b[k] - a[k]) / length);
    for (; along < length; along += step)
      corners.push(a[0] + along * d[0], a[1] + along * d[1], a[2], a[0] + along * d[0] + 0.7 * step * (d[1] - d[0]), a[1] + along * d[1] - 0.7 * step * (d[0] + d[1]), a[2]);
    along -= length;
  }
  return corners;
}

function placeHatched(world, thing, place) {
  const lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
  world.stage.onTheme(colours => lines.material.color.set(colours.fixed));
  lines.frustumCulled = false;
  world.group.add(lines);
  return where => lines.geometry.setAttribute('position', new THREE.Float32BufferAttribute(hatches(place(where), 0.018 * world.scope), 3));
}

function addSpring(world, thing) {
  return addTube(world, thing, COILS * PER_COIL + 5, 0.0035 * world.scope, where => springPoints(points(world, thing, where), thing.radius, world.scope)).place;
}

function addPolygon(world, thing) {
  const start = points(world, thing, {i: 0, s: 0}).map(x => new THREE.Vector3(...x)), normal = new THREE.Vector3();
  start.forEach((a, i) => normal.add(new THREE.Vector3().crossVectors(a.clone().sub(start[0]), start[(i + 1) % start.length].clone().sub(start[0]))));
  normal.normalize();
  const x = start[1].clone().sub(start[0]).normalize(), y = new THREE.Vector3().crossVectors(normal, x);
  const faces = THREE.ShapeUtils.triangulateShape(start.map(p => new THREE.Vector2(p.dot(x), p.dot(y))), []);
  const position = new THREE.Float32BufferAttribute(new Float32Array(9 * faces.length), 3);
  const geometry = new THREE.BufferGeometry().setAttribute('position', position);
  geometry.setAttribute('color', new THREE.Float32BufferAttribute(new Float32Array(9 * faces.length).fill(1), 3));
  const mesh = new THREE.Mesh(geometry, world.stage.material(thing));
  Object.assign(mesh, {frustumCulled: false, castShadow: true});
  world.group.add(mesh);
  return where => {
    const p = points(world, thing, where);
    faces.flat().forEach((corner, k) => position.setXYZ(k, ...p[corner]));
    position.needsUpdate = true;
    geometry.computeVertexNormals();
  };
}

function writing(text, colour) {
  const canvas = document.createElement('canvas'), font = '40px system-ui, sans-serif', c = canvas.getContext('2d');
  c.font = font;
  Object.assign(canvas, {width: Math.ceil(c.measureText(text).width) + 8, height: 52});
  Object.assign(c, {font, fillStyle: colour, textBaseline: 'middle'});
  c.fillText(text, 4, 26);
  return canvas;
}

function addText(world, thing) {
  let aspect = 1;
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({depthTest: false}));
  world.stage.onTheme(colours => {
    const canvas = writing(thing.text, `#${colours.ink.toString(16).padStart(6, '0')}`);
    sprite.material.map = new THREE.CanvasTexture(canvas);
    sprite.material.map.minFilter = THREE.LinearFilter;
    aspect = canvas.width / canvas.height;
  });
  world.group.add(sprite);
  return where => {
    const height = Math.max(TEXT, TEXT_PART * world.stage.canvas.clientHeight) * world.stage.pixel;
    sprite.position.set(...points(world, {...thing, count: 1}, where)[0]);
    sprite.scale.set(height * aspect, height, 1);
  };
}

// A path up to the present: all of its points, of which the first are drawn.
export function addTrail(world, thing) {
  const {clip} = world, position = new Float32Array(3 * clip.t.length), up = world.lift(thing);
  clip.columns.slice(thing.at, thing.at + 3).forEach((column, k) => { for (let i = 0; i < clip.t.length; i++) position[3 * i + k] = column.at(i) + (k === 2 ? up : 0); });
  const line = new THREE.Line(new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(position, 3)), world.stage.lineMaterial(thing, {transparent: true, opacity: 0.75}));
  line.frustumCulled = false;
  world.group.add(line);
  const place = where => line.geometry.setDrawRange(0, where.i + 1);
  place.line = line;
  return place;
}

const MAKERS = {line: addLine, tube: addFlexible, spring: addSpring, polygon: addPolygon, text: addText, path: addTrail};

export class Curves {
  constructor(world) {
    this.places = world.clip.things.filter(thing => MAKERS[thing.kind]).map(thing => MAKERS[thing.kind](world, thing));
  }
  update(where) { for (const place of this.places) place(where); }
}
