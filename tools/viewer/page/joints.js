// Joints: a pin where it is, and a rod along its axis.
import {pointOf} from './clip.js';

export class Joints {
  constructor(world) {
    this.world = world;
    this.list = world.clip.things.filter(thing => thing.kind === 'joint').map(thing => ({thing, mesh: this.make(thing)}));
  }
  make() {
    const {stage, group, planar, scope: size, bodySize} = this.world, r = 0.006 * size, length = Math.min(0.16 * size, Math.max(0.05 * size, bodySize / 2));
    const material = new THREE.MeshLambertMaterial(), pin = new THREE.Mesh(new THREE.SphereBufferGeometry(planar ? 1.3 * r : r, 16, 12), material);
    const rod = new THREE.Mesh(new THREE.CylinderBufferGeometry(0.35 * r, 0.35 * r, planar ? 0.5 * r : length, 8).rotateX(Math.PI / 2), material);
    stage.onTheme(colours => material.color.set(colours.ink));
    const mesh = new THREE.Group();
    mesh.add(pin, rod);
    group.add(mesh);
    return mesh;
  }
  show(on) { for (const {mesh} of this.list) mesh.visible = on; }
  update(where) {
    const {clip, lift} = this.world;
    for (const {thing, mesh} of this.list) {
      const axis = new THREE.Vector3(...pointOf(clip, thing, where, 1)), [x, y, z] = pointOf(clip, thing, where);
      mesh.position.set(x, y, z + lift(null));
      mesh.children[1].visible = axis.length() > 0.5;
      if (axis.length() > 0.5) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.normalize());
    }
  }
}
