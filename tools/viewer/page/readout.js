// What was clicked: its name and the quantities that begin with it. And the gaps of contacts, magnified.
import {locate, valueOf, centreOf, number} from './clip.js';
import {sizedContext, styleOf} from './timeline.js';
import {FoundContacts} from './touches.js';
import {STATE_COLOURS} from './contacts.js';

const MOST = 40;

export class Readout {
  constructor(element, plots) { Object.assign(this, {element, plots, rows: []}); }
  close() {
    this.element.hidden = true;
    this.thing = null;
  }
  show(clip, thing) {
    const heading = document.createElement('h2'), table = document.createElement('table');
    heading.textContent = thing.name;
    Object.assign(this, {clip, thing, rows: []});
    const row = (name, unit, read, plot) => {
      const cells = table.insertRow(), label = cells.insertCell();
      label.textContent = name;
      if (plot) { label.className = 'link'; label.title = 'plot it'; label.addEventListener('click', plot); }
      this.rows.push({cell: cells.insertCell(), unit, read});
    };
    const place = where => thing.seen ? thing.seen(where)?.point.toArray() ?? [] : centreOf(clip, thing, where);
    for (const [k, axis] of ['x', 'y', 'z'].entries()) row(axis, 'm', where => place(where)[k]);
    if (thing.seen) for (const [name, unit] of [['state', ''], ['gap', 'm'], ['PN', 'N s']]) row(name, unit, where => thing.seen(where)?.[name]);
    for (const q of clip.quantities.filter(q => q.name.startsWith(`${thing.name}.`)).slice(0, MOST))
      row(q.name.slice(thing.name.length + 1), q.unit, where => valueOf(clip, q.name, where), () => this.plots.addNamed(q.name));
    this.element.replaceChildren(heading, table);
    this.element.hidden = false;
  }
  draw(t) {
    if (!this.thing) return;
    const where = locate(this.clip, t);
    for (const {cell, unit, read} of this.rows) cell.textContent = `${number(read(where))} ${unit}`;
  }
}

// Gaps on a logarithmic line from 1e-17 to 10 m, the smallest first; below zero they are red.
export class Gaps {
  constructor(element, clips) {
    const letters = clips.length > 1 ? 20 : 13;   // of a name, with the result that it belongs to
    Object.assign(this, {element, letters, canvas: document.createElement('canvas')});
    this.sources = clips.map(clip => ({clip, names: Gaps.namesOf(clip), found: clip.found ? new FoundContacts(clip) : null, of: clips.length > 1 ? ` (${clip.label})` : ''}));
    Object.assign(this.canvas.style, {width: `${210 + 7 * letters}px`, maxWidth: '100%', display: 'block'});
    const heading = document.createElement('h2');
    heading.textContent = 'Gaps in m, magnified';
    element.append(heading, this.canvas);
  }
  static namesOf(clip) { return clip.quantities.filter(q => q.name.endsWith('.gap')).map(q => q.name.slice(0, -4)).slice(0, 500); }
  static any(clip) { return clip.found || Gaps.namesOf(clip).length > 0; }
  all(t) {
    return this.sources.flatMap(({clip, names, found, of}) => {
      const where = locate(clip, t), named = names.map(name => ({name: name + of, gap: valueOf(clip, `${name}.gap`, where), state: valueOf(clip, `${name}.state`, where)}));
      return [...named, ...(found?.at(where) ?? []).map(({thing, gap, state}) => ({name: thing.name + of, gap, state}))];
    });
  }
  draw(t) {
    if (this.element.hidden) return;
    const rows = this.all(t).filter(row => Number.isFinite(row.gap)).sort((a, b) => Math.abs(a.gap) - Math.abs(b.gap)).slice(0, 10);
    this.canvas.style.height = `${20 + 18 * rows.length}px`;
    const {context: c, width} = sizedContext(this.canvas), left = 7 * this.letters, x = gap => left + (Math.log10(Math.min(10, Math.max(1e-17, Math.abs(gap)))) + 17) / 18 * (width - left - 10);
    c.font = '11px system-ui, sans-serif';
    c.fillStyle = styleOf('--quiet');
    c.textAlign = 'center';
    for (const power of [-16, -12, -8, -4, 0]) { c.fillText(power ? `1e${power}`.replace('-', '\u2212') : '1', x(10 ** power), 12); c.fillRect(x(10 ** power), 16, 0.5, 18 * rows.length); }
    rows.forEach(({name, gap, state}, k) => {
      const y = 28 + 18 * k;
      c.textAlign = 'left';
      c.fillStyle = styleOf('--ink');
      c.fillText(name.length > this.letters ? `${name.slice(0, this.letters - 1)}\u2026` : name, 0, y + 4);
      c.fillStyle = gap < 0 ? '#d32f2f' : Object.values(STATE_COLOURS)[state] ?? '#888';
      c.beginPath();
      if (gap === 0) c.fillRect(x(0) - 5, y - 4, 5, 8); else c.arc(x(gap), y, 4, 0, 7);
      c.fill();
    });
  }
}
