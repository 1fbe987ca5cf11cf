// The line of time: where we are, and a mark for each event.
import {number} from './clip.js';

const COLOURS = {strike: '#d55e00', opening: '#56b4e9', stop: '#009e73', break: '#e69f00', thud: '#cc79a7'};

// A canvas with as many pixels as the screen has there; its context measures in CSS pixels.
export function sizedContext(canvas) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio))
    Object.assign(canvas, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return {context, width, height};
}

export const styleOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// 1, 2 or 5 times a power of ten, about x.
export function roundStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x / power < 1.5 ? 1 : x / power < 3.5 ? 2 : x / power < 7.5 ? 5 : 10);
}

export class Timeline {
  constructor(canvas, clock) {
    Object.assign(this, {canvas, clock, edge: 8});
    const go = event => {
      const box = canvas.getBoundingClientRect();
      clock.seek(this.timeAt(event.clientX - box.left));
    };
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      clock.pause();
      const mark = this.markNear(event.offsetX, event.offsetY);
      if (mark) clock.seek(mark.t); else go(event);
    });
    canvas.addEventListener('pointermove', event => { if (event.buttons) go(event); else this.tellNear(event); });
  }
  x(t) {
    const {from, to} = this.clock, width = this.canvas.clientWidth - 2 * this.edge;
    return this.edge + (to > from ? (t - from) / (to - from) : 0) * width;
  }
  timeAt(x) {
    const {from, to} = this.clock, width = this.canvas.clientWidth - 2 * this.edge;
    return from + (to - from) * Math.min(1, Math.max(0, (x - this.edge) / width));
  }
  // The event whose mark is under the pointer, in the upper half of the line.
  markNear(x, y) {
    let best = null;
    if (y > 16) return null;
    for (const e of this.clock.events)
      if (Math.abs(this.x(e.t) - x) < 4 && (!best || Math.abs(this.x(e.t) - x) < Math.abs(this.x(best.t) - x))) best = e;
    return best;
  }
  tellNear(event) {
    const mark = this.markNear(event.offsetX, event.offsetY);
    this.canvas.title = mark ? `${mark.kind} ${mark.contact} at ${number(mark.t, 9)} s` : '';
  }
  drawTicks(c, height) {
    const {from, to} = this.clock, step = roundStep((to - from) / Math.max(2, this.canvas.clientWidth / 110));
    c.fillStyle = c.strokeStyle = styleOf('--quiet');
    c.font = '11px system-ui, sans-serif';
    c.textAlign = 'center';
    for (let k = Math.ceil(from / step); k * step <= to * (1 + 1e-12); k++) {
      c.fillRect(this.x(k * step), 17, 1, 4);
      c.fillText(number(k * step), this.x(k * step), height - 2);
    }
  }
  draw() {
    const {context: c, height} = sizedContext(this.canvas), {from, to, t, events} = this.clock;
    c.fillStyle = styleOf('--edge');
    c.fillRect(this.x(from), 15, this.x(to) - this.x(from), 2);
    c.fillStyle = styleOf('--accent');
    c.fillRect(this.x(from), 15, this.x(t) - this.x(from), 2);
    c.globalAlpha = events.length > 300 ? 0.35 : 0.85;
    const strongest = events.reduce((most, e) => e.kind === 'strike' && e.PN > most ? e.PN : most, 0);
    for (const e of events) {
      const height = e.kind === 'strike' ? 3 + 9 * Math.sqrt(strongest > 0 && e.PN >= 0 ? e.PN / strongest : 1) : 7;
      c.fillStyle = COLOURS[e.kind] ?? '#888';
      c.fillRect(this.x(e.t) - 0.75, 14 - height, 1.5, height);
    }
    c.globalAlpha = 1;
    if (to > from) this.drawTicks(c, height);
    c.fillStyle = styleOf('--accent');
    c.beginPath();
    c.arc(this.x(t), 16, 6, 0, 2 * Math.PI);
    c.fill();
    this.canvas.setAttribute('aria-valuenow', t);
    this.canvas.setAttribute('aria-valuemin', from);
    this.canvas.setAttribute('aria-valuemax', to);
  }
}
