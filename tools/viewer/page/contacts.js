// Contacts: a dot in the colour of the state, the force as an arrow in its cone of friction, a flash where bodies strike.
import {pointOf, valueOf, STATES} from './clip.js';
import {lastBefore} from './data.js';

export const STATE_COLOURS = {open: '#9aa4b1', slip: '#e69f00', stick: '#009e73'};
const LONGEST = 2, FLASH = 0.25;   // the longest arrow, in ordinary ones; seconds that a flash is seen

function instanced(world, geometry, color, count, renderOrder, more = {}) {
  const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({color, depthTest: false, transparent: true, ...more}), count);
  Object.assign(mesh, {frustumCulled: false, renderOrder});
  world.group.add(mesh);
  return mesh;
}

const HIDDEN = new THREE.Matrix4().makeScale(0, 0, 0), Z = new THREE.Vector3(0, 0, 1);

function along(from, direction, across, length) {
  const q = new THREE.Quaternion().setFromUnitVectors(Z, direction);
  return new THREE.Matrix4().compose(from, q, new THREE.Vector3(across, across, length));
}

// PN and PF over dt; with the directions that the drawing knows.
function forceOf(clip, contact, where) {
  const {thing, name, dt} = contact, direction = n => new THREE.Vector3(...pointOf(clip, thing, where, n));
  const parts = thing.count === 3 ? ['PF'] : ['PF1', 'PF2'], force = direction(1).multiplyScalar(valueOf(clip, `${name}.PN`, where) / dt);
  parts.slice(0, thing.count - 2).forEach((part, k) => {
    const P = valueOf(clip, `${name}.${part}`, where);
    if (Number.isFinite(P)) force.addScaledVector(direction(2 + k), P / dt);
  });
  return force;
}

// A force that nine of ten do not exceed, of those that act: the scale of arrows.
function ordinaryForce(clip, contacts) {
  const found = [];
  for (const {name, dt} of contacts.slice(0, 200)) {
    const q = clip.quantity.get(`${name}.PN`), column = q && clip.columns[q.at];
    const step = Math.max(1, Math.floor(clip.t.length / 500));
    for (let i = 0; column && i < clip.t.length; i += step) if (column.at(i) > 0) found.push(column.at(i) / dt);
  }
  found.sort((a, b) => a - b);
  return found[Math.floor(0.9 * found.length)] ?? 0;
}

export class Contacts {
  constructor(world) {
    const {clip, scope: size} = world;
    this.world = world;
    this.list = clip.things.filter(thing => thing.kind === 'contact').map(thing => ({thing, name: thing.name, dt: Number(clip.dt), strikes: []}));
    this.ordinary = ordinaryForce(clip, this.list);
    this.visible = true;
    this.arrow = Math.min(0.22 * size, Math.max(0.06 * size, 1.5 * world.bodySize));   // of an ordinary force
    this.group = [];
    const count = this.list.length;
    if (count === 0) return;
    const dot = new THREE.SphereBufferGeometry(1, 12, 8), shaft = new THREE.CylinderBufferGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeBufferGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    const cone = new THREE.ConeBufferGeometry(1, 1, 24, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.dots = STATES.map(state => instanced(world, dot, STATE_COLOURS[state], count, 7, {opacity: state === 'open' ? 0.5 : 1}));
    this.shafts = instanced(world, shaft, '#c2185b', count, 6);
    this.heads = instanced(world, head, '#c2185b', count, 6);
    this.cones = instanced(world, cone, '#c2185b', count, 4, {opacity: 0.13, side: THREE.DoubleSide, depthWrite: false});
    this.flashes = instanced(world, new THREE.RingBufferGeometry(0.7, 1, 32), '#ff5a1f', count, 8, {side: THREE.DoubleSide, opacity: 0.8});
    this.group = [...this.dots, this.shafts, this.heads, this.cones, this.flashes];
    this.dot = Math.min(0.008 * size, 0.06 * this.arrow);
    this.readStrikes(clip);
  }
  readStrikes(clip) {
    const byName = new Map(this.list.map(contact => [contact.name, contact]));
    this.strongest = 0;
    for (const e of clip.events)
      if (e.kind === 'strike' && byName.has(e.contact)) {
        byName.get(e.contact).strikes.push(e);
        if (e.PN > this.strongest) this.strongest = e.PN;
      }
    for (const contact of this.list) contact.times = contact.strikes.map(e => e.t);
  }
  // Where arrows end, of some contacts in some frames.
  tips() {
    const {clip} = this.world, step = Math.max(1, Math.floor(clip.t.length / 20)), tips = [];
    for (let i = 0; i < clip.t.length && this.ordinary > 0; i += step)
      for (const contact of this.list.slice(0, 40)) {
        const where = {i, s: 0, step: i}, force = forceOf(clip, contact, where), F = force.length();
        if (F > 0) tips.push(new THREE.Vector3(...pointOf(clip, contact.thing, where)).addScaledVector(force, Math.min(1 / this.ordinary, LONGEST / F) * this.arrow));
      }
    return tips.filter(tip => Number.isFinite(tip.x + tip.y + tip.z));
  }
  show(on) { this.visible = on; for (const mesh of this.group) mesh.visible = on; }

  update(where, t, speed, towards) {
    if (!this.visible || this.list.length === 0) return;
    const {clip, lift} = this.world;
    this.list.forEach((contact, k) => {
      const point = new THREE.Vector3(...pointOf(clip, contact.thing, where));
      point.z += lift(null);
      const state = valueOf(clip, `${contact.name}.state`, where);
      contact.state = STATES[state];
      contact.point = point;
      this.placeDot(k, point, state);
      this.placeForce(k, contact, point, where);
      this.placeFlash(k, contact, point, t, speed, towards);
    });
    for (const mesh of this.group) mesh.instanceMatrix.needsUpdate = true;
  }
  placeDot(k, point, state) {
    this.dots.forEach((mesh, s) => {
      const r = this.dot * (s === 0 ? 0.6 : 1);
      mesh.setMatrixAt(k, s === (state || 0) ? new THREE.Matrix4().makeScale(r, r, r).setPosition(point) : HIDDEN);
    });
  }
  placeForce(k, contact, point, where) {
    const {scope: size, clip} = this.world, force = forceOf(clip, contact, where), F = force.length();
    const scale = this.ordinary > 0 ? this.arrow / this.ordinary : 0, length = Math.min(F * scale, LONGEST * this.arrow);
    if (!(length > 0.002 * size)) { for (const mesh of [this.shafts, this.heads, this.cones]) mesh.setMatrixAt(k, HIDDEN); return; }
    const direction = force.divideScalar(F), head = Math.min(0.15 * this.arrow, 0.5 * length), tip = point.clone().addScaledVector(direction, length);
    this.shafts.setMatrixAt(k, along(point, direction, 0.018 * this.arrow, length - head));
    this.heads.setMatrixAt(k, along(tip, direction, 0.35 * head, head));
    const normal = new THREE.Vector3(...pointOf(clip, contact.thing, where, 1)), height = length * direction.dot(normal), mu = contact.thing.mu;
    this.cones.setMatrixAt(k, mu > 0 && height > 0 ? along(point, normal, mu * height, height) : HIDDEN);
  }
  // A ring that grows and goes, for a while that does not depend on the speed.
  placeFlash(k, contact, point, t, speed, towards) {
    const last = contact.strikes[lastBefore(contact.times, t)], age = last ? (t - last.t) / (FLASH * speed) : -1;
    if (!(age >= 0 && age < 1)) { this.flashes.setMatrixAt(k, HIDDEN); return; }
    const strength = this.strongest > 0 ? Math.sqrt(Math.max(0, last.PN) / this.strongest) : 0.5;
    const r = this.arrow * (0.04 + 0.2 * strength * (0.3 + 0.7 * age)) * (1 - 0.5 * age * age);
    this.flashes.setMatrixAt(k, along(point, towards, r, 1));
  }
  // The contact nearest to a ray, not farther from it than near.
  pick(ray, near) {
    let best = null;
    if (!this.visible) return null;
    for (const {thing, point} of this.list) {
      if (!point) continue;
      const distance = ray.distanceToPoint(point);
      if (distance < near && (!best || distance < best.off)) best = {thing, off: distance, distance: 0};
    }
    return best;
  }
}
