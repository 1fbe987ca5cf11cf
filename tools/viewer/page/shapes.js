// Shapes of bodies as surfaces. The axis of a shape is its z. Opposite quarters of round ones are tinted, so that they are seen to turn.

const TINT = 0.78;

// Colours of the faces: quarters around the axis, for balls also halves along it; or one colour.
function tint(surface, {quarters, halves}) {
  const geometry = surface.index ? surface.toNonIndexed() : surface, x = geometry.attributes.position.array;
  const colour = new Float32Array(x.length).fill(1);
  for (let f = 0; quarters && f < x.length; f += 9) {
    const m = [0, 1, 2].map(k => x[f + k] + x[f + 3 + k] + x[f + 6 + k]);
    if (m[0] * m[1] * (halves ? m[2] : 1) < 0) colour.fill(TINT, f, f + 9);
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(colour, 3));
  return geometry;
}

function join(parts) {
  const all = new THREE.BufferGeometry();
  for (const name of ['position', 'normal']) {
    const arrays = parts.map(part => (part.index ? part.toNonIndexed() : part).attributes[name].array);
    const joined = new Float32Array(arrays.reduce((sum, a) => sum + a.length, 0));
    arrays.reduce((at, a) => { joined.set(a, at); return at + a.length; }, 0);
    all.setAttribute(name, new THREE.BufferAttribute(joined, 3));
  }
  return all;
}

const upright = geometry => geometry.rotateX(Math.PI / 2);   // three.js has cylinders along y

function capsule({radius, length}, fine) {
  const cap = end => upright(new THREE.SphereBufferGeometry(radius, fine, fine / 2, 0, 2 * Math.PI, end > 0 ? 0 : Math.PI / 2, Math.PI / 2)).translate(0, 0, end * length / 2);
  return join([upright(new THREE.CylinderBufferGeometry(radius, radius, length, fine, 1, true)), cap(1), cap(-1)]);
}

// Flat faces, each a fan of triangles.
function hull({vertices, faces}) {
  const x = faces.flatMap(face => face.slice(2).flatMap((corner, k) => [face[0], face[k + 1], corner])).flatMap(corner => vertices[corner]);
  const made = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(x), 3));
  made.computeVertexNormals();
  return made;
}

// depth: of what has none of its own, disks and the boxes of planar scenes
export function surfaceOf(shape, turns, depth, fine) {
  const {kind, radius, length, size} = shape;
  const made = {
    sphere: () => upright(new THREE.SphereBufferGeometry(radius, fine, fine / 2)),
    point: () => upright(new THREE.SphereBufferGeometry(radius, fine, fine / 2)),
    capsule: () => capsule(shape, fine),
    ellipsoid: () => upright(new THREE.SphereBufferGeometry(1, fine, fine / 2)).scale(...size),
    cylinder: () => upright(new THREE.CylinderBufferGeometry(radius, radius, length, 2 * fine)),
    disk: () => upright(new THREE.CylinderBufferGeometry(radius, radius, depth, 2 * fine)),
    hull: () => hull(shape),
    box: () => new THREE.BoxBufferGeometry(...size.map(edge => edge || depth)),
  }[kind]();
  return tint(made, {quarters: turns && kind !== 'box' && kind !== 'hull', halves: kind === 'sphere' || kind === 'ellipsoid'});
}

// Half edges of the box around a shape, in its own axes.
export function halfSize({kind, radius, length, size, vertices}, depth) {
  if (kind === 'hull') return [0, 1, 2].map(k => Math.max(...vertices.map(x => Math.abs(x[k]))));
  if (kind === 'ellipsoid') return size;
  if (kind === 'box') return size.map(edge => (edge || depth) / 2);
  const along = {capsule: radius + length / 2, cylinder: length / 2, disk: depth / 2}[kind] ?? radius;
  return [radius, radius, along];
}

export function bodyMatrix({r, q}) {
  return new THREE.Matrix4().compose(new THREE.Vector3(...r), new THREE.Quaternion(q[1], q[2], q[3], q[0]), new THREE.Vector3(1, 1, 1));
}

// The place of a shape in its body.
export function shapeMatrix({r, A}) {
  return new THREE.Matrix4().set(A[0], A[1], A[2], r[0], A[3], A[4], A[5], r[1], A[6], A[7], A[8], r[2], 0, 0, 0, 1);
}

// The same surface with one normal at each corner, for outlines: moved along it, it stays closed.
export function closedSurface(surface) {
  const x = surface.attributes.position, n = surface.attributes.normal, sums = new Map();
  const keys = Array.from({length: x.count}, (_, i) => `${x.getX(i).toPrecision(5)},${x.getY(i).toPrecision(5)},${x.getZ(i).toPrecision(5)}`);
  keys.forEach((key, i) => {
    if (!sums.has(key)) sums.set(key, new THREE.Vector3());
    sums.get(key).add(new THREE.Vector3(n.getX(i), n.getY(i), n.getZ(i)));
  });
  for (const sum of sums.values()) sum.normalize();
  const normals = new Float32Array(3 * x.count);
  keys.forEach((key, i) => sums.get(key).toArray(normals, 3 * i));
  const closed = new THREE.BufferGeometry().setAttribute('position', x).setAttribute('normal', new THREE.BufferAttribute(normals, 3));
  return surface.index ? closed.setIndex(surface.index) : closed;
}
