// Planes: ground and walls. In planar scenes slabs, in space squares with a grid; squared paper behind what travels.
import {placeOf} from './clip.js';
import {shapeMatrix, bodyMatrix} from './shapes.js';
import {roundStep} from './timeline.js';

const MOST_LINES = 400;     // of a grid, in each direction
const PIECES = 12;          // of each line: one that ends behind the eye is not drawn by every browser
const STEEP = 0.5;          // the normal of a wall rises less than this
const AROUND = 8;           // half the edge of a grid that goes along, in what the eye sees at once
const BEHIND = 0.12;        // opacity of a square that is seen from behind: what is in a box is seen through its walls

// The half spaces below planes. Each reaches a little further than the motion, but not behind another one.
export function addPlanes(world) {
  const {clip} = world, seat = (thing, shape, where) => bodyMatrix(placeOf(clip, thing, where)).multiply(shapeMatrix(shape)), start = {i: 0, s: 0};
  const planes = clip.things.filter(thing => thing.kind === 'body').flatMap(thing => thing.shapes.filter(shape => shape.kind === 'plane').map(shape => {
    const matrix = seat(thing, shape, start), normal = new THREE.Vector3().setFromMatrixColumn(matrix, 2).normalize();
    return {thing, shape, matrix, normal, half: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3().setFromMatrixPosition(matrix))};
  }));
  const inside = half => clip.things.every(thing => thing.kind !== 'body' || thing.ground || half.distanceToPoint(new THREE.Vector3(...placeOf(clip, thing, start).r)) >= 0);
  for (const {thing, shape, matrix, normal} of planes) {
    const holder = new THREE.Group(), others = planes.filter(other => Math.abs(other.normal.dot(normal)) < 0.9 && inside(other.half)).map(other => other.half);
    holder.matrixAutoUpdate = false;
    holder.matrix.copy(matrix);
    world.group.add(holder);
    if (world.planar) addSlab(world, holder); else addSquare(world, holder, normal, others);
    if (!clip.columns.slice(thing.at, thing.at + 7).every(c => c.constant)) world.moving.push(where => holder.matrix.copy(seat(thing, shape, where)));
  }
}

// The box of the motion in the axes of a plane: its middle, and half edges with some air around.
function extent({low, high}, matrix, air) {
  const box = new THREE.Box3(low.clone(), high.clone()).applyMatrix4(new THREE.Matrix4().getInverse(matrix));
  return {centre: box.getCenter(new THREE.Vector3()), wide: box.getSize(new THREE.Vector3()).multiplyScalar(0.5).addScalar(air).toArray().slice(0, 2)};
}

function addSlab({low, high, stage, size, depth}, holder) {
  const {centre, wide} = extent({low, high}, holder.matrix, 0.12 * size), along = Math.abs(holder.matrix.elements[2]) > 0.5 ? 1 : 0;   // which axis of the plane stays in the picture
  const edges = along ? [6 * depth, 2 * wide[1], 0.07 * size] : [2 * wide[0], 6 * depth, 0.07 * size];
  const material = new THREE.MeshLambertMaterial({side: THREE.DoubleSide});
  stage.onTheme(colours => material.color.set(colours.fixed));
  const slab = new THREE.Mesh(new THREE.BoxBufferGeometry(...edges), material);
  slab.position.set(along ? 0 : centre.x, along ? centre.y : 0, -0.035 * size);
  slab.receiveShadow = true;
  holder.add(slab);
}

// ---- squares

// What half spaces leave of a convex polygon, or of a line, which has two corners.
function cut(corners, halves) {
  for (const half of halves) {
    const kept = [];
    corners.forEach((a, k) => {
      const b = corners[(k + 1) % corners.length], [da, db] = [half.distanceToPoint(a), half.distanceToPoint(b)];
      if (da >= 0) kept.push(a);
      if (da * db < 0 && (corners.length > 2 || k === 0)) kept.push(a.clone().lerp(b, da / (da - db)));
    });
    corners = kept;
  }
  return corners;
}

function addSquare(world, holder, normal, others) {
  const {clip, low, high, size, scope, stage} = world;
  const air = Math.abs(normal.getComponent(clip.drawing.up)) < STEEP ? 0.1 : 0.6, {centre, wide} = extent({low, high}, holder.matrix, air * size);
  const back = new THREE.Matrix4().getInverse(holder.matrix), halves = others.map(half => half.clone().applyMatrix4(back));
  const corners = cut([[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => new THREE.Vector3(centre.x + x * wide[0], centre.y + y * wide[1], 0)), halves);
  if (corners.length < 3) return;
  const fan = corners.slice(2).flatMap((corner, k) => [corners[0], corners[k + 1], corner]);
  const face = new THREE.BufferGeometry().setFromPoints(fan).setAttribute('normal', new THREE.Float32BufferAttribute(fan.flatMap(() => [0, 0, 1]), 3));
  for (const more of [{side: THREE.FrontSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}, {side: THREE.BackSide, transparent: true, opacity: BEHIND, depthWrite: false}]) {
    const material = new THREE.MeshLambertMaterial(more), square = new THREE.Mesh(face, material);
    square.receiveShadow = more.side === THREE.FrontSide;
    stage.onTheme(colours => material.color.set(colours.ground));
    holder.add(square);
  }
  const step = roundStep(scope / 5), grid = world.travels ? gridLines(stage, step, new THREE.Vector3(), [AROUND * scope, AROUND * scope]) : gridLines(stage, step, centre, wide, halves);
  grid.position.z = 2e-4 * scope;   // above what it is drawn on
  holder.add(grid);
  if (world.travels) world.moving.push(where => goAlong(world, grid, back, where, step));
}

// A grid goes along with what moves, by whole steps.
function goAlong(world, grid, back, where, step) {
  const seat = world.middleAt(where).applyMatrix4(back);
  for (const axis of ['x', 'y']) if (Number.isFinite(seat[axis])) grid.position[axis] = step * Math.round(seat[axis] / step);
}

// Lines of a grid in the plane z = 0 of a holder, as far as the centre and half edges say.
function gridLines(stage, step, centre, wide, halves = []) {
  const ends = [];
  step = Math.max(step, roundStep(2 * Math.max(...wide) / MOST_LINES));
  for (const [k, other] of [[0, 1], [1, 0]])
    for (let i = Math.ceil((centre.getComponent(k) - wide[k]) / step); i * step <= centre.getComponent(k) + wide[k]; i++)
      for (let piece = 0; piece < PIECES; piece++)
        ends.push(...cut([piece, piece + 1].map(end => new THREE.Vector3().setComponent(k, i * step).setComponent(other, centre.getComponent(other) + (2 * end / PIECES - 1) * wide[other])), halves));
  const ink = new THREE.LineBasicMaterial({transparent: true, opacity: 0.6});
  stage.onTheme(colours => ink.color.set(colours.grid));
  return new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(ends), ink);
}

// Squared paper below what hangs in the air, with its shadow. It is no ground.
export function addFloor({clip, stage, group, low, high, size, scope}) {
  const {up} = clip.drawing, level = low.getComponent(up) - 0.1 * size, matrix = new THREE.Matrix4();
  if (up === 1) matrix.makeRotationX(-Math.PI / 2);
  matrix.setPosition(new THREE.Vector3().setComponent(up, level));
  const {centre, wide} = extent({low, high}, matrix, 0.3 * size), holder = new THREE.Group();
  holder.matrixAutoUpdate = false;
  holder.matrix.copy(matrix);
  const shade = new THREE.Mesh(new THREE.PlaneBufferGeometry(2 * wide[0], 2 * wide[1]).translate(centre.x, centre.y, 0), new THREE.ShadowMaterial({opacity: 0.18}));
  shade.receiveShadow = true;
  holder.add(shade, gridLines(stage, roundStep(scope / 5), centre, wide));
  group.add(holder);
}

// Squared paper behind a planar system that travels: against it the eye sees it move.
export function addPaper({stage, group, low, high, scope, depth}) {
  const centre = low.clone().add(high).multiplyScalar(0.5), paper = gridLines(stage, roundStep(scope / 5), centre, [0, 1].map(k => (high.getComponent(k) - low.getComponent(k)) / 2 + 2 * scope));
  paper.position.z = -2 * depth;
  group.add(paper);
}
