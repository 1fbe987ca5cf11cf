// Bodies: equal shapes of one colour are drawn together, each with its own matrix. Planes are ground.
import {placeOf} from './clip.js';
import {surfaceOf, closedSurface, halfSize, shapeMatrix} from './shapes.js';
import {roundStep} from './timeline.js';

export function bodyMatrix({r, q}) {
  return new THREE.Matrix4().compose(new THREE.Vector3(...r), new THREE.Quaternion(q[1], q[2], q[3], q[0]), new THREE.Vector3(1, 1, 1));
}

const NOWHERE = new THREE.Matrix4().makeScale(0, 0, 0), ONE = new THREE.Vector3(1, 1, 1);
const CENTRE = new THREE.Vector3(), TURN = new THREE.Quaternion();   // of the body at hand

export class Bodies {
  // world: {clip, stage, group, size, depth, lift(thing)}
  constructor(world) {
    this.world = world;
    this.parts = [];   // shapes of bodies
    this.meshes = [];  // of equal ones
    const fine = world.clip.things.length > 500 ? 12 : 32, families = new Map();
    for (const thing of world.clip.things) {
      if (thing.kind !== 'body') continue;
      for (const shape of thing.shapes) {
        if (shape.kind === 'plane') { addPlane(world, thing, shape); continue; }
        const {kind, radius, length, size} = shape, fixed = thing.ground || !thing.colour;
        const key = JSON.stringify([kind, radius, length, size, thing.turns, fixed ? null : thing.colour]);
        if (!families.has(key)) families.set(key, {thing, shape, parts: []});
        const part = {thing, local: shapeMatrix(shape), half: halfSize(shape, world.depth), matrix: new THREE.Matrix4(),
                      columns: world.clip.columns.slice(thing.at, thing.at + 7), up: world.lift(thing)};
        families.get(key).parts.push(part);
        this.parts.push(part);
      }
    }
    for (const family of families.values()) this.addFamily(family, fine);
  }
  addFamily({thing, shape, parts}, fine) {
    const {stage, group, depth} = this.world;
    const surface = surfaceOf(shape, thing.turns, depth, fine), mesh = new THREE.InstancedMesh(surface, stage.material(thing), parts.length);
    const outline = new THREE.InstancedMesh(closedSurface(surface), stage.outlineMaterial(), parts.length);
    Object.assign(mesh, {frustumCulled: false, castShadow: true, receiveShadow: !this.world.planar});
    Object.assign(outline, {frustumCulled: false, instanceMatrix: mesh.instanceMatrix});
    parts.forEach((part, index) => Object.assign(part, {mesh, index}));
    this.meshes.push(mesh);
    group.add(mesh, outline);
  }
  // Without making an object: there may be ten thousand bodies in sixty pictures a second.
  update({i, s}) {
    for (const {columns, local, matrix, mesh, index, up} of this.parts) {
      const x = k => columns[k].between(i, s);
      CENTRE.set(x(0), x(1), x(2) + up);
      TURN.set(x(4), x(5), x(6), x(3)).normalize();
      matrix.compose(CENTRE, TURN, ONE).multiply(local);
      const known = Number.isFinite(CENTRE.x + CENTRE.y + CENTRE.z + TURN.x + TURN.w);
      mesh.setMatrixAt(index, known ? matrix : NOWHERE);
    }
    for (const mesh of this.meshes) mesh.instanceMatrix.needsUpdate = true;
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

// The half space below a plane: a slab in planar scenes, a square with a grid in space. It reaches a little further than the motion.
function addPlane(world, thing, shape) {
  const {clip, group, planar, low, high, size} = world;
  const matrix = bodyMatrix(placeOf(clip, thing, {i: 0, s: 0})).multiply(shapeMatrix(shape));
  const back = new THREE.Matrix4().getInverse(matrix), box = new THREE.Box3(low.clone(), high.clone()).applyMatrix4(back);
  const centre = box.getCenter(new THREE.Vector3()), half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
  const wide = [0, 1].map(k => half.getComponent(k) + (planar ? 0.12 : 0.6) * size);
  if (planar) wide[1] = wide[0];   // one of the two axes leaves the plane
  const holder = new THREE.Group();
  holder.matrixAutoUpdate = false;
  holder.matrix.copy(matrix);
  group.add(holder);
  if (planar) addSlab(world, holder, centre, wide, matrix);
  else addSquare(world, holder, centre, wide);
  if (!clip.columns.slice(thing.at, thing.at + 7).every(c => c.constant))
    world.moving.push(where => holder.matrix.copy(bodyMatrix(placeOf(clip, thing, where)).multiply(shapeMatrix(shape))));
}

const MOST_LINES = 400;   // of a grid, in each direction

// Lines of a grid in the plane z = 0 of a holder, as far as the centre and half edges say.
function gridLines(stage, step, centre, wide) {
  const corners = [];
  step = Math.max(step, roundStep(2 * Math.max(...wide) / MOST_LINES));
  for (const [k, other] of [[0, 1], [1, 0]])
    for (let i = Math.ceil((centre.getComponent(k) - wide[k]) / step); i * step <= centre.getComponent(k) + wide[k]; i++)
      for (const end of [-1, 1]) {
        const p = [0, 0, 0];
        p[k] = i * step;
        p[other] = centre.getComponent(other) + end * wide[other];
        corners.push(...p);
      }
  const lines = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(corners, 3)), ink = new THREE.LineBasicMaterial({transparent: true, opacity: 0.6});
  stage.onTheme(colours => ink.color.set(colours.grid));
  return new THREE.LineSegments(lines, ink);
}

// Squared paper behind a planar system that travels: against it the eye sees it move.
export function addPaper({stage, group, low, high, scope, depth}) {
  const centre = low.clone().add(high).multiplyScalar(0.5), paper = gridLines(stage, roundStep(scope / 5), centre, [0, 1].map(k => (high.getComponent(k) - low.getComponent(k)) / 2 + 2 * scope));
  paper.position.z = -2 * depth;
  group.add(paper);
}

function addSlab({stage, size, depth}, holder, centre, wide, matrix) {
  const along = Math.abs(matrix.elements[2]) > 0.5 ? 1 : 0;   // which axis of the plane stays in the picture
  const edges = along ? [6 * depth, 2 * wide[1], 0.07 * size] : [2 * wide[0], 6 * depth, 0.07 * size];
  const material = new THREE.MeshLambertMaterial({side: THREE.DoubleSide});
  stage.onTheme(colours => material.color.set(colours.fixed));
  const slab = new THREE.Mesh(new THREE.BoxBufferGeometry(...edges), material);
  slab.position.set(along ? 0 : centre.x, along ? centre.y : 0, -0.035 * size);
  slab.receiveShadow = true;
  holder.add(slab);
}

function addSquare({stage, scope}, holder, centre, wide) {
  const material = new THREE.MeshLambertMaterial({side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1});
  const square = new THREE.Mesh(new THREE.PlaneBufferGeometry(2 * wide[0], 2 * wide[1]), material);
  square.position.set(centre.x, centre.y, 0);
  square.receiveShadow = true;
  stage.onTheme(colours => material.color.set(colours.ground));
  const grid = gridLines(stage, roundStep(scope / 5), centre, wide);
  grid.position.z = 2e-4 * scope;   // above what it is drawn on
  holder.add(square, grid);
}
