// The eye: it looks at a target from a distance, turned about the vertical (turn) and above the horizon (rise).

const FIELD = {planar: 10, space: 28};   // degrees; planar scenes are seen almost in parallel projection
const MARGIN = 1.12, PASSES = 3;         // of the first view; passes that move its middle to that of what is seen

function middle(numbers) {
  let low = Infinity, high = -Infinity;
  for (const x of numbers) { low = Math.min(low, x); high = Math.max(high, x); }
  return low <= high ? (low + high) / 2 : 0;
}

export class Camera {
  // points: what the first view shows, in units of the stage; up: 1 or 2
  constructor(canvas, points, planar, up) {
    Object.assign(this, {canvas, points, planar, near: 0, target: new THREE.Vector3(), field: FIELD[planar ? 'planar' : 'space'], listeners: []});
    this.up = new THREE.Vector3(0, planar || up === 1 ? 1 : 0, planar || up === 1 ? 0 : 1);
    this.forward = this.up.y ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, -1, 0);   // from the front, towards the eye
    this.right = new THREE.Vector3().crossVectors(this.up, this.forward);
    this.eye = new THREE.PerspectiveCamera(this.field, 1, 0.1, 1000);
    this.eye.up.copy(this.up);
    this.reset();
    this.listen();
  }
  tell() { for (const listener of this.listeners) listener(); }
  direction() {
    const flat = Math.cos(this.rise);
    return new THREE.Vector3().addScaledVector(this.forward, flat * Math.cos(this.turn))
      .addScaledVector(this.right, flat * Math.sin(this.turn)).addScaledVector(this.up, Math.sin(this.rise));
  }
  look(view) {
    const most = Math.PI / 2 - 1e-4;
    [this.turn, this.rise] = {front: [0, 0], side: [Math.PI / 2, 0], top: [0, most], space: [0.5, 0.36]}[view];
    this.fit();
  }
  reset() { this.look(this.planar ? 'front' : 'space'); }

  // What lies over the picture at its top and right, of its size.
  covered() {
    const {top, right} = this.insets?.() ?? {top: 0, right: 0}, part = (edge, whole) => Math.min(0.3, edge / Math.max(1, whole));
    return {top: part(top, this.canvas.clientHeight), right: part(right, this.canvas.clientWidth)};
  }
  // As near as all points allow, in the part of the picture that is free; near: the diameter of a ball about the target that is shown instead, 0: none.
  fit() {
    const covered = this.covered(), aspect = this.canvas.clientWidth * (1 - covered.right) / Math.max(1, this.canvas.clientHeight * (1 - covered.top));
    const z = this.direction(), x = new THREE.Vector3().crossVectors(this.up, z).normalize(), y = new THREE.Vector3().crossVectors(z, x);
    const tangent = Math.tan(this.field * Math.PI / 360) * (1 - covered.top), box = new THREE.Box3().setFromPoints(this.points);
    if (!this.near) box.getCenter(this.target);
    const seen = this.near ? [x, y, z].flatMap(axis => [-0.5, 0.5].map(end => this.target.clone().addScaledVector(axis, end * this.near))) : this.points;
    for (let pass = 0; pass < (this.near ? 1 : PASSES); pass++) {
      const flat = seen.map(p => { const d = p.clone().sub(this.target); return [d.dot(x), d.dot(y), d.dot(z)]; });
      this.distance = flat.reduce((most, [a, b, c]) => Math.max(most, c + MARGIN * Math.max(Math.abs(b), Math.abs(a) / aspect) / tangent), 1e-3);
      if (!this.near) for (const [k, axis] of [[0, x], [1, y]]) this.target.addScaledVector(axis, this.distance * middle(flat.map(p => p[k] / (this.distance - p[2]))));
    }
    this.extent = box.min.distanceTo(box.max);
    this.reach = 1.3 * (this.near ? Math.sqrt(3) * this.near : Math.max(1, this.extent));
    this.tell();
  }
  see(points) {
    this.points = points;
    this.fit();
  }
  place(aspect) {
    Object.assign(this.eye, {aspect, fov: this.field, near: this.distance / 100, far: this.distance + 40 * Math.max(this.reach, this.extent)});
    this.eye.position.copy(this.target).addScaledVector(this.direction(), this.distance);
    this.eye.up.copy(this.rise > 1.5 ? this.forward.clone().negate() : this.up);
    this.eye.lookAt(this.target);
    const {clientWidth: width, clientHeight: height} = this.canvas, {top, right} = this.covered();
    this.eye.setViewOffset(width, height, width * right / 2, -height * top / 2, width, height);   // the target is in the middle of what is free
    this.eye.updateProjectionMatrix();
    this.eye.updateMatrixWorld();
  }
  orbit(dx, dy) {
    const most = Math.PI / 2 - 1e-4;
    this.turn -= 0.006 * dx;
    this.rise = Math.min(most, Math.max(-most, this.rise + 0.006 * dy));
    this.tell();
  }
  // How large a pixel is at the target.
  pixel() { return 2 * this.distance * Math.tan(this.field * Math.PI / 360) / Math.max(1, this.canvas.clientHeight); }
  pan(dx, dy) {
    const scale = this.pixel();
    const x = new THREE.Vector3().setFromMatrixColumn(this.eye.matrix, 0), y = new THREE.Vector3().setFromMatrixColumn(this.eye.matrix, 1);
    this.target.addScaledVector(x, -scale * dx).addScaledVector(y, scale * dy);
    this.tell();
  }
  zoom(factor) {
    this.distance = Math.min(1e4, Math.max(1e-3, this.distance * factor));
    this.tell();
  }

  // One pointer turns, or moves with shift or another button; two move and zoom.
  listen() {
    const at = new Map();
    const spread = () => { const [a, b] = [...at.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    this.canvas.addEventListener('pointerdown', event => {
      this.canvas.setPointerCapture(event.pointerId);
      at.set(event.pointerId, {x: event.clientX, y: event.clientY});
    });
    this.canvas.addEventListener('pointermove', event => {
      const last = at.get(event.pointerId);
      if (!last) return;
      const dx = event.clientX - last.x, dy = event.clientY - last.y, before = at.size === 2 ? spread() : 0;
      at.set(event.pointerId, {x: event.clientX, y: event.clientY});
      if (at.size === 2) { this.pan(dx / 2, dy / 2); this.zoom(before / Math.max(1, spread())); }
      else if (event.shiftKey || event.buttons & 6) this.pan(dx, dy);
      else this.orbit(dx, dy);
    });
    for (const name of ['pointerup', 'pointercancel']) this.canvas.addEventListener(name, event => at.delete(event.pointerId));
    this.canvas.addEventListener('wheel', event => { this.zoom(Math.exp(0.0015 * event.deltaY)); event.preventDefault(); }, {passive: false});
    this.canvas.addEventListener('dblclick', () => this.reset());
    this.canvas.addEventListener('contextmenu', event => event.preventDefault());
  }
}
