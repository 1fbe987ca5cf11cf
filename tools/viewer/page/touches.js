// Contacts at an instant, those that the scene names and those that the run found: {thing, point, normal, force, mu, state, gap}. And where they have struck.
import {pointOf, valueOf} from './clip.js';
import {lastBefore} from './data.js';

const vector = numbers => new THREE.Vector3(...numbers);

// ---- contacts of the scene, which have columns of their own

export class NamedContacts {
  constructor(clip) {
    Object.assign(this, {clip, dt: Number(clip.dt), list: clip.things.filter(thing => thing.kind === 'contact')});
    this.most = this.list.length;
    this.strikes = new Map(this.list.map(thing => [thing.name, []]));
    for (const e of clip.events) if (e.kind === 'strike') this.strikes.get(e.contact)?.push(e);
    this.times = this.list.map(thing => this.strikes.get(thing.name).map(e => e.t));
  }
  at(where) {
    const {clip} = this;
    return this.list.map(thing => ({thing, point: vector(pointOf(clip, thing, where)), normal: vector(pointOf(clip, thing, where, 1)), force: this.forceOf(thing, where),
                                    mu: thing.mu, state: valueOf(clip, `${thing.name}.state`, where) || 0}));
  }
  // PN and PF over dt, with the directions that the drawing knows.
  forceOf(thing, where) {
    const {clip, dt} = this, parts = thing.count === 3 ? ['PF'] : ['PF1', 'PF2'], direction = n => vector(pointOf(clip, thing, where, n));
    const force = direction(1).multiplyScalar(valueOf(clip, `${thing.name}.PN`, where) / dt);
    parts.slice(0, thing.count - 2).forEach((part, k) => {
      const P = valueOf(clip, `${thing.name}.${part}`, where);
      if (Number.isFinite(P)) force.addScaledVector(direction(2 + k), P / dt);
    });
    return force;
  }
  // The last strike of each contact within a while before t: it is seen where the contact is now.
  struck(t, where, lasting) {
    return this.list.flatMap((thing, k) => {
      const last = this.strikes.get(thing.name)[lastBefore(this.times[k], t)], age = last ? (t - last.t) / lasting : -1;
      return age >= 0 && age < 1 ? [{point: vector(pointOf(this.clip, thing, where)), PN: last.PN, age}] : [];
    });
  }
}

// ---- contacts that were found: a table, of which a part belongs to each frame. The numbers of a contact are those of tools/picture/found.h.

const ENTRY = 0, BODIES = 1, STATE = 6, GAP = 7, POINT = 8, NORMAL = 11, PN = 14, PERCUSSION = 15, STRUCK = 18, NUMBERS = 19;
export const MOST_FLASHES = 300;

export class FoundContacts {
  constructor(clip) {
    const table = clip.found;
    Object.assign(this, {clip, table, dt: Number(clip.dt), from: clip.columns[table.from], columns: clip.columns.slice(table.at, table.at + NUMBERS), struckIn: []});
    this.most = clip.t.reduce((most, _, i) => Math.max(most, this.from.at(i + 1) - this.from.at(i)), 0);
  }
  rows(frame) { return Array.from({length: this.from.at(frame + 1) - this.from.at(frame)}, (_, k) => this.from.at(frame) + k); }
  read(row) {
    const number = k => this.columns[k].at(row), at = k => vector([number(k), number(k + 1), number(k + 2)]), {entries, bodies, mu} = this.table;
    const thing = {kind: 'found', name: `${entries[number(ENTRY)]}: ${bodies[number(BODIES)]}, ${bodies[number(BODIES + 1)]}`, key: this.columns.slice(0, STATE).map(c => c.at(row)).join()};
    thing.seen = where => this.at(where).find(touch => touch.thing.key === thing.key);
    return {thing, point: at(POINT), normal: at(NORMAL), force: at(PERCUSSION).divideScalar(this.dt), mu: mu[number(ENTRY)] ?? 0, state: number(STATE), gap: number(GAP), PN: number(PN)};
  }
  at({step}) { return this.rows(step).map(row => this.read(row)); }

  // A contact may not be there any more: it is seen where it struck.
  struck(t, where, lasting) {
    const flashes = [];
    for (let i = where.i; i >= 0 && t - this.clip.t[i] < lasting && flashes.length < MOST_FLASHES; i--) {
      this.struckIn[i] ??= this.rows(i).filter(row => this.columns[STRUCK].at(row) > 0);
      for (const row of this.struckIn[i]) flashes.push({point: this.read(row).point, PN: this.columns[PN].at(row), age: (t - this.clip.t[i]) / lasting});
    }
    return flashes.slice(0, MOST_FLASHES);
  }
}
