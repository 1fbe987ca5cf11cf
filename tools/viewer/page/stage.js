// The stage: renderer, lights, colours of the themes. A group holds each clip, scaled so that its motion is ten units large.

export const UNITS = 10;
const LIGHTER = 0.3;   // colours of plots, as those of surfaces
const WHITE = new THREE.Color(0xffffff);

const THEMES = {
  light: {back: 0xf4f6f9, ground: 0xdde2e8, grid: 0xb4bdc8, fixed: 0x8a93a0, ink: 0x2a3340, edge: 0x333b47, sky: 0xffffff, earth: 0xb0b4ba, sun: 0.38, air: 0.72, lines: 0},
  dark: {back: 0x14181f, ground: 0x262d38, grid: 0x46505e, fixed: 0x7c8796, ink: 0xd8dee8, edge: 0x0a0d12, sky: 0xdfe6f5, earth: 0x6a717e, sun: 0.5, air: 0.7, lines: 0.4},
};

// Does a program stand in for the graphics card?
function drawsSlowly() {
  const context = document.createElement('canvas').getContext('webgl2'), names = context?.getExtension('WEBGL_debug_renderer_info');
  const slow = names && /swiftshader|llvmpipe|softpipe|basic render/i.test(context.getParameter(names.UNMASKED_RENDERER_WEBGL));
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return slow;
}

// Smooth edges are half of the work: without a graphics card there are none, unless asked for.
function makeRenderer(canvas, smooth) {
  const options = {canvas, antialias: smooth || !drawsSlowly(), alpha: false, preserveDrawingBuffer: true};
  const context = canvas.getContext('webgl2', options);
  const renderer = new THREE.WebGLRenderer({...options, ...(context && {context})});
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  return renderer;
}

export class Stage {
  constructor(canvas, scale, smooth) {
    Object.assign(this, {canvas, scale, renderer: makeRenderer(canvas, smooth), scene: new THREE.Scene(), themed: []});
    this.air = new THREE.HemisphereLight(0xffffff, 0x888888, 0.7);
    this.sun = new THREE.DirectionalLight(0xffffff, 0.6);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0006;
    this.lamp = new THREE.DirectionalLight(0xffffff, 0.3);   // at the eye: no face that is seen is black
    this.outline = {value: 0.01};                             // width of outlines, in metres of a clip
    this.scene.add(this.air, this.sun, this.sun.target, this.lamp, this.lamp.target);
    this.setTheme('light');
  }
  // paint(colours): called now and whenever the theme changes
  onTheme(paint) {
    this.themed.push(paint);
    paint(this.colours);
  }
  setTheme(name) {
    this.colours = THEMES[name];
    this.scene.background = new THREE.Color(this.colours.back);
    this.air.color.set(this.colours.sky);
    this.air.groundColor.set(this.colours.earth);
    this.air.intensity = this.colours.air;
    this.sun.intensity = this.colours.sun;
    for (const paint of this.themed) paint(this.colours);
  }
  // A material whose colour is the thing's own, or that of what is fixed.
  material(thing, more = {}) {
    const material = new THREE.MeshLambertMaterial({vertexColors: THREE.VertexColors, side: THREE.DoubleSide, ...more});
    if (thing.colour && !thing.ground) material.color.set(thing.colour).lerp(WHITE, LIGHTER);
    else this.onTheme(colours => material.color.set(colours.fixed));
    return material;
  }
  // A thin line in the colour of a thing, which is lighter in the dark, or in that of ink.
  lineMaterial(thing, more = {}) {
    const material = new THREE.LineBasicMaterial(more);
    this.onTheme(colours => { if (thing.colour) material.color.set(thing.colour).lerp(WHITE, colours.lines); else material.color.set(colours.ink); });
    return material;
  }
  // The back of a surface that is a little larger: seen around its edge. The width is that of a line on the screen.
  outlineMaterial() {
    const material = new THREE.MeshBasicMaterial({side: THREE.BackSide});
    this.onTheme(colours => material.color.set(colours.edge));
    material.onBeforeCompile = shader => {
      shader.uniforms.outline = this.outline;
      shader.vertexShader = `uniform float outline;\n${shader.vertexShader}`.replace('#include <begin_vertex>', 'vec3 transformed = position + outline * normal;');
    };
    return material;
  }
  // The sun shines on what the eye looks at, from above and from its left.
  shine(camera) {
    const reach = camera.reach, {target, up} = camera;
    const side = new THREE.Vector3().crossVectors(up, camera.direction()).normalize();
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(up, 2.2 * reach).addScaledVector(side, -1.1 * reach).addScaledVector(camera.direction(), 1.1 * reach);
    Object.assign(this.sun.shadow.camera, {left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * reach, far: 6 * reach});
    this.sun.shadow.camera.updateProjectionMatrix();
    this.lamp.target.position.copy(target);
    this.lamp.position.copy(camera.eye.position);
  }
  // How large a pixel is, in metres of a clip: outlines and texts go by it.
  measure(camera) {
    this.pixel = camera.pixel() / this.scale;
    this.outline.value = 1.2 * this.pixel;
  }
  render(camera) {
    const {clientWidth: width, clientHeight: height} = this.canvas, ratio = Math.min(devicePixelRatio || 1, 2);
    if (!width || !height) return;
    if (this.canvas.width !== Math.floor(width * ratio) || this.canvas.height !== Math.floor(height * ratio)) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
    }
    camera.place(width / height);
    this.shine(camera);
    this.renderer.render(this.scene, camera.eye);
  }
}
