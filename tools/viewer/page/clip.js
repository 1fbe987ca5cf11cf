// A clip: one result, its times, things, events and quantities.
import {inflate} from './packed.js';
import {readColumns, lastBefore} from './data.js';

export const STATES = ['open', 'slip', 'stick'];

function readEvents(clip) {
  const e = clip.events, column = name => clip.columns[e[name]];
  return Array.from({length: e.count}, (_, i) => ({
    t: column('t').at(i), contact: e.contacts[column('contact').at(i)] ?? '', kind: e.kinds[column('kind').at(i)] ?? '',
    PN: column('PN').at(i), loss: column('loss').at(i),
  }));
}

export async function readClip(number) {
  const clip = JSON.parse(document.getElementById(`clip-${number}`).textContent);
  clip.columns = readColumns(clip.columns, await inflate(document.getElementById(`numbers-${number}`)));
  clip.t = clip.columns[clip.time].all();
  clip.located = clip.events.located;
  clip.events = readEvents(clip);
  clip.quantity = new Map(clip.quantities.map(q => [q.name, q]));
  clip.things = clip.drawing?.things ?? [];
  for (const shape of clip.things.flatMap(thing => thing.shapes ?? []))
    if (shape.kind === 'point') shape.radius = 0.0075 * clip.drawing.size;
  return clip;
}

// Where a time is: frame i, and the part s of the way to the next one.
export function locate(clip, t) {
  const i = lastBefore(clip.t, t), next = Math.min(i + 1, clip.t.length - 1);
  const s = next > i && t > clip.t[i] ? Math.min(1, (t - clip.t[i]) / (clip.t[next] - clip.t[i])) : 0;
  return {i, s, step: s > 0 ? next : i};   // step: the frame whose step this time belongs to
}

export function valueOf(clip, name, where) {
  const q = clip.quantity.get(name);
  return q ? clip.columns[q.at].at(where.step) : NaN;
}

// Point number n of a thing.
export function pointOf(clip, thing, where, n = 0) {
  return [0, 1, 2].map(k => clip.columns[thing.at + 3 * n + k].between(where.i, where.s));
}

// Position and unit quaternion (scalar first) of a body.
export function placeOf(clip, thing, where) {
  const x = [0, 1, 2, 3, 4, 5, 6].map(k => clip.columns[thing.at + k].between(where.i, where.s));
  const length = Math.hypot(x[3], x[4], x[5], x[6]);
  return {r: x.slice(0, 3), q: x.slice(3).map(part => part / length)};
}

// Where a thing is, for names, trails and the eye that follows it.
export const centreOf = (clip, thing, where) => thing.kind === 'body' ? placeOf(clip, thing, where).r : pointOf(clip, thing, where);

export const moves = (clip, thing) =>
  Array.from({length: thing.kind === 'body' ? 3 : 3 * thing.count}, (_, k) => clip.columns[thing.at + k]).some(c => !c.constant);

export function number(x, digits = 6) {
  if (!Number.isFinite(x)) return 'none';
  return String(Number(x.toPrecision(digits))).replace('-', '\u2212');
}
