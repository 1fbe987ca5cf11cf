// Contacts: a dot in the colour of the state, the force as an arrow in its cone of friction, a flash where bodies strike.
import {STATES} from './clip.js';
import {NamedContacts, FoundContacts, MOST_FLASHES} from './touches.js';

export const STATE_COLOURS = {open: '#9aa4b1', slip: '#e69f00', stick: '#009e73'};
const LONGEST = 2, FLASH = 0.25;   // the longest arrow, in ordinary ones; seconds that a flash is seen
const MANY = 20;                   // contacts that press at once: their arrows and cones shall not hide the bodies

function instanced(world, geometry, color, count, renderOrder, more = {}) {
  const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({color, depthTest: false, transparent: true, ...more}), count);
  Object.assign(mesh, {frustumCulled: false, renderOrder, room: count});
  world.group.add(mesh);
  return mesh;
}

const HIDDEN = new THREE.Matrix4().makeScale(0, 0, 0), Z = new THREE.Vector3(0, 0, 1);

function along(from, direction, across, length) {
  const q = new THREE.Quaternion().setFromUnitVectors(Z, direction);
  return new THREE.Matrix4().compose(from, q, new THREE.Vector3(across, across, length));
}

// The contacts of each of about so many frames.
function sample({clip, sources}, frames) {
  const step = Math.max(1, Math.floor(clip.t.length / frames)), found = [];
  for (let i = 0; i < clip.t.length; i += step) found.push(sources.flatMap(source => source.at({i, s: 0, step: i}).slice(0, 200)));
  return found;
}

export class Contacts {
  constructor(world) {
    const {clip, scope: size} = world;
    Object.assign(this, {world, clip, visible: true, group: [], touches: []});
    this.sources = [new NamedContacts(clip), ...clip.found ? [new FoundContacts(clip)] : []].filter(source => source.most > 0);
    if (this.sources.length === 0) return;
    const frames = sample(this, 200), count = this.sources.reduce((sum, source) => sum + source.most, 0);
    const many = frames.some(touches => touches.filter(({force}) => force.length() > 0).length > MANY);
    this.scaleForces(frames.flat());
    this.arrow = Math.min(0.16 * size, Math.max((many ? 0.03 : 0.06) * size, (many ? 0.6 : 1.2) * world.bodySize));   // of an ordinary force
    this.strongest = clip.events.reduce((most, e) => e.kind === 'strike' && e.PN > most ? e.PN : most, 0);
    this.dot = Math.min(0.008 * size, 0.06 * this.arrow);
    this.makeMeshes(count, many ? 0.05 : 0.13);
  }
  get any() { return this.sources.length > 0; }
  // A force that nine of ten do not exceed, of those that act: the scale of arrows.
  scaleForces(touches) {
    const forces = touches.map(({force}) => force.length()).filter(F => F > 0).sort((a, b) => a - b);
    this.ordinary = forces[Math.floor(0.9 * forces.length)] ?? 0;
  }
  makeMeshes(count, faint) {
    const {world} = this, shaft = new THREE.CylinderBufferGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeBufferGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    const cone = new THREE.ConeBufferGeometry(1, 1, 24, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    // a geometry for each mesh: see sharing() in bodies.js
    this.dots = STATES.map(state => instanced(world, new THREE.SphereBufferGeometry(1, 12, 8), STATE_COLOURS[state], count, 7, {opacity: state === 'open' ? 0.5 : 1}));
    this.shafts = instanced(world, shaft, '#c2185b', count, 6);
    this.heads = instanced(world, head, '#c2185b', count, 6);
    this.cones = instanced(world, cone, '#c2185b', count, 4, {opacity: faint, side: THREE.DoubleSide, depthWrite: false});
    this.flashes = instanced(world, new THREE.RingBufferGeometry(0.7, 1, 32), '#ff5a1f', Math.min(count, MOST_FLASHES), 8, {side: THREE.DoubleSide, opacity: 0.8});
    this.group = [...this.dots, this.shafts, this.heads, this.cones, this.flashes];
  }
  // Where arrows end, of some contacts in some frames.
  tips() {
    if (!this.any || !(this.ordinary > 0)) return [];
    const tips = sample(this, 20).flat().map(({point, force}) => point.addScaledVector(force, Math.min(1 / this.ordinary, LONGEST / (force.length() || 1)) * this.arrow));
    return tips.filter(tip => Number.isFinite(tip.x + tip.y + tip.z));
  }
  show(on) { this.visible = on; for (const mesh of this.group) mesh.visible = on; }

  update(where, t, speed, towards) {
    if (!this.visible || !this.any) return;
    const lift = point => { point.z += this.world.lift(null); return point; };
    this.touches = this.sources.flatMap(source => source.at(where));
    this.touches.forEach((touch, k) => {
      lift(touch.point);
      this.placeDot(k, touch);
      this.placeForce(k, touch);
    });
    const flashes = this.sources.flatMap(source => source.struck(t, where, FLASH * speed)).slice(0, this.flashes.room);
    flashes.forEach((flash, k) => this.placeFlash(k, lift(flash.point), flash, towards));
    for (const mesh of this.group) {
      mesh.count = mesh === this.flashes ? flashes.length : this.touches.length;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
  placeDot(k, {point, state}) {
    this.dots.forEach((mesh, s) => {
      const r = this.dot * (s === 0 ? 0.6 : 1);
      mesh.setMatrixAt(k, s === state ? new THREE.Matrix4().makeScale(r, r, r).setPosition(point) : HIDDEN);
    });
  }
  placeForce(k, {point, normal, force, mu}) {
    const F = force.length(), scale = this.ordinary > 0 ? this.arrow / this.ordinary : 0, length = Math.min(F * scale, LONGEST * this.arrow);
    if (!(length > 0.002 * this.world.scope)) { for (const mesh of [this.shafts, this.heads, this.cones]) mesh.setMatrixAt(k, HIDDEN); return; }
    const direction = force.clone().divideScalar(F), head = Math.min(0.15 * this.arrow, 0.5 * length), tip = point.clone().addScaledVector(direction, length);
    this.shafts.setMatrixAt(k, along(point, direction, 0.018 * this.arrow, length - head));
    this.heads.setMatrixAt(k, along(tip, direction, 0.35 * head, head));
    const height = length * direction.dot(normal);
    const cone = mu > 0 && height > 0 ? along(point, normal, mu * height, height) : HIDDEN.clone();
    if (this.world.planar) for (const row of [2, 6, 10]) cone.elements[row] *= 0.01;   // a flat one
    this.cones.setMatrixAt(k, cone);
  }
  // A ring that grows and goes, for a while that does not depend on the speed.
  placeFlash(k, point, {PN, age}, towards) {
    const strength = this.strongest > 0 ? Math.sqrt(Math.max(0, PN) / this.strongest) : 0.5;
    const r = this.arrow * (0.04 + 0.2 * strength * (0.3 + 0.7 * age)) * (1 - 0.5 * age * age);
    this.flashes.setMatrixAt(k, along(point, towards, r, 1));
  }
  // The contact nearest to a ray, not farther from it than near.
  pick(ray, near) {
    let best = null;
    for (const {thing, point} of this.visible ? this.touches : []) {
      const distance = ray.distanceToPoint(point);
      if (distance < near && (!best || distance < best.off)) best = {thing, off: distance, distance: 0};
    }
    return best;
  }
}
