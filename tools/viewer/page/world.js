// A world: the things of a clip on the stage. One scale and one centre hold for all clips.
import {locate, pointOf, placeOf, centreOf, moves} from './clip.js';
import {UNITS} from './stage.js';
import {halfSize, shapeMatrix, bodyMatrix} from './shapes.js';
import {addPaper, addFloor} from './planes.js';
import {Bodies} from './bodies.js';
import {Curves, addTrail} from './curves.js';
import {Contacts} from './contacts.js';
import {Joints} from './joints.js';

export function measureClips(drawn) {
  const vector = (clips, key, choose) => new THREE.Vector3(...[0, 1, 2].map(k => choose(...clips.map(clip => clip.drawing[key][k] ?? 0))));
  const low = vector(drawn, 'low', Math.min), high = vector(drawn, 'high', Math.max);
  const size = Math.max(...drawn.map(clip => clip.drawing.size)) || 1;
  return {low, high, size, centre: low.clone().add(high).multiplyScalar(0.5), scale: UNITS / size};
}

// Twice the middle one of the half sizes of bodies; a tube is as large as it is long.
function bodySize(clip, depth) {
  const halves = clip.things.filter(thing => thing.kind === 'body' && !thing.ground).flatMap(thing => thing.shapes)
    .filter(shape => shape.kind !== 'plane').map(shape => Math.max(...halfSize(shape, depth)));
  for (const thing of clip.things.filter(({kind}) => kind === 'tube')) {
    const points = Array.from({length: thing.count}, (_, n) => new THREE.Vector3(...pointOf(clip, thing, {i: 0, s: 0}, n)));
    halves.push(points.slice(1).reduce((sum, p, n) => sum + p.distanceTo(points[n]), 0) / 2);
  }
  halves.sort((a, b) => a - b);
  return 2 * (halves[halves.length >> 1] ?? Infinity);
}

// What moves at an instant: its middle and its longest edge.
function spreadAt(clip, movers, where) {
  const box = new THREE.Box3();
  for (const {thing, radius} of movers) {
    const points = thing.kind === 'body' ? [centreOf(clip, thing, where)] : Array.from({length: thing.count}, (_, n) => pointOf(clip, thing, where, n));
    for (const p of points.filter(p => p.every(Number.isFinite)))
      for (const side of [-radius, radius]) box.expandByPoint(new THREE.Vector3(...p).addScalar(side));
  }
  const {x, y, z} = box.getSize(new THREE.Vector3());
  return {middle: box.getCenter(new THREE.Vector3()), edge: Math.max(x, y, z)};
}

function moversOf(clip, depth) {
  const moving = clip.things.filter(thing => !thing.ground && /body|tube|line|polygon|spring/.test(thing.kind));
  if (moving.length > 500) return [];
  return moving.filter(thing => moves(clip, thing)).map(thing => ({thing, radius: thing.kind === 'body' ? Math.max(0, ...thing.shapes.map(shape => Math.max(...halfSize(shape, depth)))) : thing.radius}));
}

// How large what moves is in three of four frames, of about forty.
function ordinarySpread(clip, movers) {
  const step = Math.max(1, Math.floor(clip.t.length / 40)), edges = [];
  for (let i = 0; i < clip.t.length && movers.length > 0; i += step) edges.push(spreadAt(clip, movers, {i, s: 0}).edge);
  return edges.sort((a, b) => a - b)[Math.floor(0.75 * edges.length)] ?? 0;
}

const isPlane = thing => thing.shapes?.some(shape => shape.kind === 'plane');

// Whether a thing, other than a plane, belongs to the surroundings or stays where it is. A part of the ground that goes along with the system does not belong to them.
function surrounds(clip, thing, size) {
  if (thing.kind === 'body') return thing.ground && thing.shapes.some(shape => shape.kind !== 'plane');
  const [from, to] = [0, clip.t.length - 1].map(i => new THREE.Vector3(...pointOf(clip, thing, {i, s: 0})));
  return /line|polygon|tube/.test(thing.kind) && (thing.ground ? from.distanceTo(to) < 0.5 * size : !moves(clip, thing));
}

// A system travels if its way is long compared with its size. Then the eye goes along with it, near to it. If there are surroundings, such as a hill or a floor, the eye sees
// more of them, and all of them if they are about as high as wide. Returns the size of what the eye sees at once.
function scopeOf(clip, movers, {low, high, size}) {
  const spread = ordinarySpread(clip, movers), framed = clip.things.some(thing => surrounds(clip, thing, size)), free = !clip.things.some(isPlane);
  const edges = high.clone().sub(low).toArray().sort((a, b) => b - a), compact = edges[1] > 0.2 * edges[0];
  const [travels, around, most] = framed ? [compact ? 0.015 : 0.06, 20, 0.25] : [free ? 0.35 : 0.16, 2.2, 0.6];
  return spread > 0 && spread < travels * size ? Math.max(2 * spread, Math.min(most * size, around * spread)) : size;
}

const OUTLINE = 2000;   // things that are looked at for the first view

// Points around a thing: the corners of boxes about its shapes, or its own points.
function cornersOf({clip, depth}, thing, where) {
  if (thing.kind !== 'body') return Array.from({length: thing.kind === 'text' || thing.kind === 'path' ? 1 : thing.count}, (_, n) => new THREE.Vector3(...pointOf(clip, thing, where, n)));
  const place = bodyMatrix(placeOf(clip, thing, where));
  return thing.shapes.filter(shape => shape.kind !== 'plane').flatMap(shape => {
    const half = halfSize(shape, depth), matrix = place.clone().multiply(shapeMatrix(shape));
    return Array.from({length: 8}, (_, corner) => new THREE.Vector3(...half.map((h, k) => corner >> k & 1 ? h : -h)).applyMatrix4(matrix));
  });
}

export class World {
  constructor(clip, stage, measure, index) {
    const {planar} = clip.drawing, solid = clip.things.filter(thing => !/contact|joint/.test(thing.kind));
    Object.assign(this, {clip, stage, planar, ...measure, group: new THREE.Group(), moving: [], strains: [], trails: []});
    this.movers = moversOf(clip, 0);
    this.scope = scopeOf(clip, this.movers, this);   // widths of lines and arrows go by it
    this.travels = this.scope < this.size;
    this.depth = (planar ? 0.03 : 0.008) * this.scope;
    // things of planar scenes lie on top of each other in their order
    const order = new Map(solid.map((thing, k) => [thing, k])), layer = Math.min(0.01, 0.2 / (solid.length || 1)) * this.scope;
    this.lift = thing => planar ? (thing ? order.get(thing) ?? 0 : solid.length + 1) * layer : 0;
    this.bodySize = bodySize(clip, this.depth);
    this.group.scale.setScalar(this.scale);
    this.group.position.copy(this.centre).multiplyScalar(-this.scale);
    this.home = this.group.position.clone();
    stage.scene.add(this.group);
    if (this.travels && planar) addPaper(this);
    if (!planar && !clip.things.some(thing => thing.ground || isPlane(thing))) addFloor(this);
    this.bodies = new Bodies(this);
    this.curves = new Curves(this);
    this.contacts = new Contacts(this);
    this.joints = new Joints(this);
    if (index > 0) this.fade();
  }
  // Results after the first are seen through.
  fade() {
    this.group.traverse(object => { if (object.material) Object.assign(object.material, {transparent: true, opacity: 0.5 * object.material.opacity}); });
  }
  update(t, speed, towards) {
    const where = locate(this.clip, t);
    for (const place of this.moving) place(where);
    this.bodies.update(where);
    this.curves.update(where);
    this.contacts.update(where, t, speed, towards);
    this.joints.update(where);
    for (const place of this.trails) place(where);
  }
  trailed() { return this.clip.things.filter(thing => thing.kind === 'body' && !thing.ground && moves(this.clip, thing)).slice(0, 60); }
  showTrails(on) {
    if (on && this.trails.length === 0) this.trails = this.trailed().map(thing => addTrail(this, thing));
    for (const place of this.trails) place.line.visible = on;
  }
  middleAt(where) { return spreadAt(this.clip, this.movers, where).middle; }
  // Where a thing is on the stage; null: the middle of all that moves.
  seat(thing, t) {
    const where = locate(this.clip, t), place = thing ? new THREE.Vector3(...centreOf(this.clip, thing, where)) : this.middleAt(where);
    return place.multiplyScalar(this.scale).add(this.group.position);
  }
  // Points around all that the first view shows, on the stage: the whole motion with the arrows of forces.
  outline() {
    const matter = this.clip.things.filter(thing => !/contact|joint/.test(thing.kind)), frames = Math.max(2, Math.min(40, Math.floor(OUTLINE / matter.length)));
    const step = Math.max(1, Math.floor((this.clip.t.length - 1) / frames)), points = this.contacts.tips(), last = this.clip.t.length - 1;
    for (const thing of matter.slice(0, OUTLINE))
      for (let i = 0; i <= last; i = i < last && moves(this.clip, thing) ? Math.min(last, i + step) : Infinity) points.push(...cornersOf(this, thing, {i, s: 0}));
    if (matter.length > OUTLINE) points.push(this.low.clone(), this.high.clone());
    const there = points.filter(p => Number.isFinite(p.x + p.y + p.z));
    return (there.length > 0 ? there : [this.low.clone(), this.high.clone()]).map(p => p.multiplyScalar(this.scale).add(this.group.position));
  }
  pick(ray) {
    const own = ray.clone().applyMatrix4(new THREE.Matrix4().getInverse(this.group.matrixWorld));
    return this.contacts.pick(own, 0.02 * this.scope) ?? this.bodies.pick(own);
  }
}
