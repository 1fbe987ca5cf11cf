// Plots of quantities over time, or over each other, in step with the picture.
import {locate, number} from './clip.js';
import {sizedContext, styleOf, roundStep} from './timeline.js';

const CURVE_COLOURS = {light: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'], dark: ['#56b4e9', '#ff8a4c', '#2ec4a0', '#e3a3c6', '#f2bd42', '#a5d8f6']};
const curveColour = k => { const colours = CURVE_COLOURS[document.documentElement.classList.contains('dark') ? 'dark' : 'light']; return colours[k % colours.length]; };
const MOST_PANELS = 12;   // of those that the scene asks for
const EDGE = {left: 58, right: 8, top: 20, bottom: 18};
const MOST_DIGITS = 7;    // of a number beside an axis

// What to write at marks a step apart in a range: numbers with the digits that tell them apart or, where these are too many, differences from a base.
function labelsOf([low, high], step) {
  const digits = Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step)) + 1;
  if (digits <= MOST_DIGITS) return {base: 0, text: x => number(x, Math.max(3, digits))};
  const base = step * Math.round((low + high) / 2 / step);
  return {base, text: x => (x > base ? '+' : '') + number(step * Math.round((x - base) / step), 3)};
}

// curve: {clip, x, y, name, unit}: columns; x null: time
function curveOf(clip, x, y) {
  const named = at => clip.quantities.find(q => q.at === at);
  return {clip, x: x == null ? null : clip.columns[x], y: clip.columns[y], name: named(y)?.name ?? '', unit: named(y)?.unit ?? '', over: x == null ? 't' : named(x)?.name ?? ''};
}

function rangeOf(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) { if (v < low) low = v; if (v > high) high = v; }
  if (low > high) return [0, 1];
  const air = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
  return [low - air, high + air];
}

export class Plot {
  constructor(curves, clock, remove) {
    Object.assign(this, {curves, clock, element: document.createElement('div'), canvas: document.createElement('canvas'), back: document.createElement('canvas'), stale: true});
    for (const c of curves) {
      c.ys = c.y.all();
      c.xs = c.x ? c.x.all() : c.clip.t;
    }
    this.phase = curves.some(c => c.x);
    this.x = this.phase ? rangeOf(curves.flatMap(c => rangeOf(c.xs))) : [clock.from, clock.to > clock.from ? clock.to : clock.from + 1];
    this.y = rangeOf(curves.flatMap(c => rangeOf(c.ys)));
    this.element.className = 'plot';
    const close = document.createElement('button');
    Object.assign(close, {textContent: '\u00d7', title: 'remove this plot'});
    close.addEventListener('click', remove);
    this.element.append(this.canvas, close);
    const go = event => { if (!this.phase && event.buttons) { clock.pause(); clock.seek(this.timeAt(event.offsetX)); } };
    this.canvas.addEventListener('pointerdown', go);
    this.canvas.addEventListener('pointermove', go);
  }
  px(x, width) { return EDGE.left + (x - this.x[0]) / (this.x[1] - this.x[0]) * (width - EDGE.left - EDGE.right); }
  py(y, height) { return height - EDGE.bottom - (y - this.y[0]) / (this.y[1] - this.y[0]) * (height - EDGE.top - EDGE.bottom); }
  timeAt(x) {
    const width = this.canvas.clientWidth - EDGE.left - EDGE.right;
    return this.x[0] + (this.x[1] - this.x[0]) * (x - EDGE.left) / width;
  }
  drawAxes(c, width, height) {
    c.strokeStyle = styleOf('--edge');
    c.fillStyle = styleOf('--quiet');
    c.font = '10px system-ui, sans-serif';
    const line = (x0, y0, x1, y1) => { c.beginPath(); c.moveTo(x0, y0); c.lineTo(x1, y1); c.stroke(); };
    for (const [range, count, mark] of [[this.x, width / 90, (x, text) => { line(this.px(x, width), EDGE.top, this.px(x, width), height - EDGE.bottom); c.textAlign = 'center'; c.fillText(text, this.px(x, width), height - 5); }],
                                        [this.y, height / 40, (y, text) => { line(EDGE.left, this.py(y, height), width - EDGE.right, this.py(y, height)); c.textAlign = 'right'; c.fillText(text, EDGE.left - 5, this.py(y, height) + 3); }]]) {
      const step = roundStep((range[1] - range[0]) / Math.max(1, count)), {base, text} = labelsOf(range, step);
      for (let k = Math.ceil(range[0] / step); k * step <= range[1] && step > 0; k++) mark(k * step, text(k * step));
      if (base !== 0) { c.textAlign = range === this.y ? 'left' : 'right'; c.fillText(number(base, MOST_DIGITS), range === this.y ? 0 : width - EDGE.right, range === this.y ? 11 : height - EDGE.bottom - 3); }
      if (range === this.y) this.names = Math.max(EDGE.left, base !== 0 ? c.measureText(number(base, MOST_DIGITS)).width + 8 : 0);   // where they begin
    }
  }
  // Of many points in one column of pixels the first, the least, the greatest and the last.
  drawCurve(c, {xs, ys}, colour, width, height) {
    c.strokeStyle = colour;
    c.lineWidth = 1.4;
    c.beginPath();
    let open = false, column = null, least = 0, greatest = 0, last = null;   // open: a line has begun; the others: of the column at hand
    const to = i => { const x = this.px(xs[i], width), y = this.py(ys[i], height); if (open) c.lineTo(x, y); else c.moveTo(x, y); open = true; };
    const finish = () => { if (last !== null) [Math.min(least, greatest), Math.max(least, greatest), last].forEach(to); last = column = null; };
    for (let i = 0; i < ys.length; i++) {
      if (!Number.isFinite(xs[i] + ys[i])) { finish(); open = false; continue; }
      if (this.phase) { to(i); continue; }
      const at = Math.floor(this.px(xs[i], width));
      if (at !== column) { finish(); to(least = greatest = i); column = at; }
      if (ys[i] < ys[least]) least = i;
      if (ys[i] > ys[greatest]) greatest = i;
      last = i;
    }
    finish();
    c.stroke();
  }
  // The part that does not change with time, kept as a picture. It is drawn without the graphics card, which is slow at long curves.
  drawBack(width, height) {
    const ratio = devicePixelRatio || 1, c = this.back.getContext('2d', {willReadFrequently: true});
    Object.assign(this.back, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawAxes(c, width, height);
    this.curves.forEach((curve, k) => this.drawCurve(c, curve, curveColour(k), width, height));
    this.stale = false;
  }
  draw() {
    const {context: c, width, height} = sizedContext(this.canvas);
    if (this.stale || this.back.width !== this.canvas.width || this.back.height !== this.canvas.height) this.drawBack(width, height);
    if (!this.back.width || !this.back.height) return;
    c.drawImage(this.back, 0, 0, width, height);
    if (!this.phase) { c.fillStyle = styleOf('--accent'); c.fillRect(this.px(this.clock.t, width) - 0.5, EDGE.top, 1, height - EDGE.top - EDGE.bottom); }
    c.font = '11px system-ui, sans-serif';
    c.textAlign = 'left';
    let at = this.names;
    this.curves.forEach((curve, k) => {
      const where = locate(curve.clip, this.clock.t), x = curve.xs[where.step], y = curve.ys[where.step];
      c.fillStyle = curveColour(k);
      c.beginPath();
      if (Number.isFinite(x + y)) c.arc(this.phase ? this.px(x, width) : this.px(this.clock.t, width), this.py(y, height), 3, 0, 7);
      c.fill();
      const text = `${curve.label ?? curve.name}${this.phase ? ` over ${curve.over}` : ''} = ${number(y, 5)}${curve.unit ? ` ${curve.unit}` : ''}`;
      if (at + c.measureText(text).width < width - 16 || k === 0) c.fillText(text, at, 12, width - 16 - at);
      at += c.measureText(text).width + 14;
    });
  }
}

export class Plots {
  constructor(element, clips, clock) {
    Object.assign(this, {element, clips, clock, list: []});
    const [first] = clips;
    for (const panel of first.panels.slice(0, MOST_PANELS)) this.add(panel.map(([x, y]) => [x < 0 || first.quantity.get('t')?.at === x ? null : x, y]));
    this.addChooser();
  }
  // pairs of columns [x, y] of the first clip; the others show what has the same names
  add(pairs) {
    const [first, ...others] = this.clips, curves = [];
    for (const [x, y] of pairs) {
      const own = curveOf(first, x, y);
      curves.push(own);
      for (const clip of others) {
        const at = name => clip.quantity.get(name)?.at;
        if (at(own.name) !== undefined) curves.push({...curveOf(clip, x == null ? null : at(own.over), at(own.name)), label: `${own.name} (${clip.label})`});
      }
    }
    const plot = new Plot(curves, this.clock, () => { plot.element.remove(); this.list = this.list.filter(p => p !== plot); });
    this.list.push(plot);
    this.element.insertBefore(plot.element, this.chooser ?? null);
    if (this.chooser) plot.draw();
  }
  addNamed(text) {
    const names = text.split(',').map(name => name.trim()), found = names.map(name => this.clips[0].quantity.get(name));
    if (found.every(Boolean)) this.add(found.map(q => [null, q.at]));
    return found.every(Boolean);
  }
  addChooser() {
    const input = document.createElement('input'), list = document.createElement('datalist');
    this.chooser = document.createElement('div');
    this.chooser.className = 'add';
    list.id = 'names';
    for (const q of this.clips[0].quantities.slice(0, 2000)) list.append(Object.assign(document.createElement('option'), {value: q.name}));
    Object.assign(input, {placeholder: 'plot a quantity: x or T,V,E', size: 26});
    input.setAttribute('list', 'names');
    input.setAttribute('aria-label', 'plot a quantity');
    input.addEventListener('change', () => { if (this.addNamed(input.value)) input.value = ''; });
    this.chooser.append(input, list);
    this.element.append(this.chooser);
  }
  clear() {
    for (const plot of this.list) plot.element.remove();
    this.list = [];
  }
  draw() { for (const plot of this.list) plot.draw(); }
  forget() { for (const plot of this.list) plot.stale = true; }   // colours or sizes have changed: the next picture draws them again
}
