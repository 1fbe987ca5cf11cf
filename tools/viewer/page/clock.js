// The time that is shown, and how it goes on.
import {lastBefore} from './data.js';

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

// Of these speeds, the one that shows the whole motion in about ten seconds, as it was where that takes 2 to 30 s; but no faster than half a second for a swing.
function speedFor(duration, swing) {
  const wanted = !(duration > 0) || (duration >= 2 && duration <= 30) ? 1
    : SPEEDS.reduce((best, s) => Math.abs(Math.log(duration / s / 10)) < Math.abs(Math.log(duration / best / 10)) ? s : best);
  return SPEEDS.filter(s => s <= Math.min(wanted, 2 * swing)).pop() ?? wanted;
}

export class Clock {
  // swing: the time of a full one, or Infinity
  constructor(times, swing, events) {
    Object.assign(this, {times, events, from: times[0], to: times[times.length - 1], playing: false, loop: true, listeners: []});
    this.t = this.from;
    this.speed = speedFor(this.to - this.from, swing);
  }
  tell() { for (const listener of this.listeners) listener(this); }
  seek(t) {
    this.t = Math.min(this.to, Math.max(this.from, t));
    this.tell();
  }
  play(on = !this.playing) {
    this.playing = on && this.to > this.from;
    if (this.playing && this.t >= this.to) this.t = this.from;
    this.tell();
  }
  pause() { this.play(false); }

  // seconds: since the last picture
  advance(seconds) {
    if (!this.playing) return;
    let t = this.t + seconds * this.speed;
    if (t >= this.to && this.loop) t = this.from;
    if (t >= this.to) this.playing = false;
    this.seek(t);
  }
  faster(by) {
    const at = SPEEDS.findIndex(s => s >= this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
    this.tell();
  }
  // The next or last of some sorted times, beyond round-off of where we are.
  stepTo(times, by) {
    this.playing = false;
    const slack = 1e-12 * (Math.abs(this.t) + this.to - this.from);
    const at = lastBefore(times, this.t + slack);
    const here = times.length > 0 && Math.abs(times[at] - this.t) <= slack;
    const next = by > 0 ? (times[at] > this.t + slack ? at : at + 1) : (here || times[at] > this.t ? at - 1 : at);
    this.seek(times[next] ?? (by > 0 ? this.to : this.from));
  }
  stepFrame(by) { this.stepTo(this.times, by); }
  stepEvent(by) { this.stepTo(this.events.map(e => e.t), by); }
}
