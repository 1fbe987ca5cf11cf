// Bodies: equal shapes of one colour are drawn together, each with its own matrix. Planes are ground.
import {surfaceOf, closedSurface, halfSize, shapeMatrix} from './shapes.js';
import {addPlanes} from './planes.js';

const HERE = new THREE.Matrix4(), NOWHERE = new THREE.Matrix4().makeScale(0, 0, 0), ONE = new THREE.Vector3(1, 1, 1);
const CENTRE = new THREE.Vector3(), TURN = new THREE.Quaternion();   // of the body at hand
const PER_PLACE = 7;   // numbers: three of its centre, four of its turn

const MANY_BODIES = 3000;      // more are drawn with fewer faces, without outlines and dots
const TINY = 0.006, DOT = 7;   // half sizes below this part of what the eye sees at once; pixels

function roundTexture() {
  const canvas = Object.assign(document.createElement('canvas'), {width: 32, height: 32}), c = canvas.getContext('2d');
  c.fillStyle = '#fff';
  c.arc(16, 16, 15, 0, 7);
  c.fill();
  return new THREE.CanvasTexture(canvas);
}

// Bodies that are too small to be seen from far: dots of one size on the screen, inside which they appear when the eye comes near.
class Dots {
  constructor({group}, parts) {
    this.parts = parts;
    if (parts.length === 0) return;
    const colours = parts.flatMap(({thing}) => new THREE.Color(thing.colour ?? '#888').toArray());
    this.position = new THREE.Float32BufferAttribute(new Float32Array(3 * parts.length), 3);
    const geometry = new THREE.BufferGeometry().setAttribute('position', this.position).setAttribute('color', new THREE.Float32BufferAttribute(colours, 3));
    const ink = new THREE.PointsMaterial({size: DOT, sizeAttenuation: false, vertexColors: THREE.VertexColors, map: roundTexture(), alphaTest: 0.5});
    group.add(Object.assign(new THREE.Points(geometry, ink), {frustumCulled: false}));
  }
  update() {
    if (!this.position) return;
    this.parts.forEach(({matrix}, k) => this.position.setXYZ(k, ...matrix.elements.slice(12, 15)));
    this.position.needsUpdate = true;
  }
}

// The places of all parts in a frame, one after the other. An even and an odd frame are kept: pictures come from between two neighbours.
class Frames {
  constructor(parts) {
    this.columns = parts.flatMap(part => part.columns);
    this.kept = [0, 1].map(() => ({frame: -1, places: new Float64Array(this.columns.length)}));
  }
  at(frame) {
    const kept = this.kept[frame & 1];
    if (kept.frame !== frame) for (let k = 0; k < this.columns.length; k++) kept.places[k] = this.columns[k].at(frame);
    kept.frame = frame;
    return kept.places;
  }
}

// A copy of the surface for each mesh: of two meshes with one geometry, three.js would draw the second with the matrices of the first.
function sharing(surface) {
  const own = new THREE.BufferGeometry();
  for (const [name, attribute] of Object.entries(surface.attributes)) own.setAttribute(name, attribute);
  return surface.index ? own.setIndex(surface.index) : own;
}

// Shapes with the same key have the same surface.
const surfaceKey = ({turns}, {kind, radius, length, size, vertices}) => JSON.stringify([kind, radius, length, size, vertices, turns]);

export class Bodies {
  // world: {clip, stage, group, size, depth, lift(thing)}
  constructor(world) {
    this.world = world;
    this.parts = [];   // shapes of bodies
    this.meshes = [];  // of equal ones
    const {length} = world.clip.things, fine = length > MANY_BODIES ? 8 : length > 500 ? 12 : 32, families = new Map();
    this.outlined = length <= MANY_BODIES;
    for (const thing of world.clip.things) {
      if (thing.kind !== 'body') continue;
      for (const shape of thing.shapes) {
        if (shape.kind === 'plane') continue;
        const key = surfaceKey(thing, shape) + (thing.ground ? '' : thing.colour ?? '');
        if (!families.has(key)) families.set(key, {thing, shape, parts: []});
        const place = shapeMatrix(shape), local = place.equals(HERE) ? null : place;
        const part = {thing, local, half: halfSize(shape, world.depth), matrix: new THREE.Matrix4(),
                      columns: world.clip.columns.slice(thing.at, thing.at + PER_PLACE), up: world.lift(thing)};
        families.get(key).parts.push(part);
        this.parts.push(part);
      }
    }
    this.frames = new Frames(this.parts);
    const surfaces = new Map();   // of equal shapes, whatever their colour
    for (const family of families.values()) this.addFamily(family, this.surfacesOf(family, fine, surfaces));
    addPlanes(world);
    this.dots = new Dots(world, this.outlined ? this.parts.filter(({thing, half}) => !thing.ground && Math.max(...half) < TINY * world.scope) : []);
  }
  surfacesOf({thing, shape}, fine, known) {
    const key = surfaceKey(thing, shape);
    if (!known.has(key)) {
      const surface = surfaceOf(shape, thing.turns, this.world.depth, fine);
      known.set(key, {surface, closed: this.outlined && closedSurface(surface)});
    }
    return known.get(key);
  }
  addFamily({thing, parts}, {surface, closed}) {
    const {stage, group} = this.world, mesh = new THREE.InstancedMesh(sharing(surface), stage.material(thing, {side: THREE.FrontSide}), parts.length);
    Object.assign(mesh, {frustumCulled: false, castShadow: true, receiveShadow: !this.world.planar});
    parts.forEach((part, index) => Object.assign(part, {mesh, index}));
    this.meshes.push(mesh);
    group.add(mesh);
    if (closed) group.add(Object.assign(new THREE.InstancedMesh(sharing(closed), stage.outlineMaterial(), parts.length), {frustumCulled: false, instanceMatrix: mesh.instanceMatrix}));
  }
  // Without making an object: there may be ten thousand bodies in sixty pictures a second.
  update({i, s}) {
    const a = this.frames.at(i), b = s > 0 ? this.frames.at(i + 1) : a, mix = k => a[k] + s * (b[k] - a[k]);
    for (let n = 0, k = 0; n < this.parts.length; n++, k += PER_PLACE) {
      const {local, matrix, mesh, index, up} = this.parts[n];
      CENTRE.set(mix(k), mix(k + 1), mix(k + 2) + up);
      TURN.set(mix(k + 4), mix(k + 5), mix(k + 6), mix(k + 3)).normalize();
      matrix.compose(CENTRE, TURN, ONE);
      if (local) matrix.multiply(local);
      const known = Number.isFinite(CENTRE.x + CENTRE.y + CENTRE.z + TURN.x + TURN.w);
      mesh.setMatrixAt(index, known ? matrix : NOWHERE);
    }
    for (const mesh of this.meshes) mesh.instanceMatrix.needsUpdate = true;
    this.dots.update();
  }
  // The nearest body that a ray (in metres) meets: its thing and the distance.
  pick(ray) {
    let best = null;
    for (const {thing, matrix, half} of this.parts) {
      const own = ray.clone().applyMatrix4(new THREE.Matrix4().getInverse(matrix));
      const box = new THREE.Box3(new THREE.Vector3(...half).negate(), new THREE.Vector3(...half)), hit = own.intersectBox(box, new THREE.Vector3());
      if (!hit) continue;
      const distance = hit.applyMatrix4(matrix).distanceTo(ray.origin);
      if (!best || distance < best.distance) best = {thing, distance};
    }
    return best;
  }
}
