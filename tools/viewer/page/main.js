// The page: clips on one stage, one clock, buttons.
import {readClip, locate, placeOf, centreOf, moves, number} from './clip.js';
import {Stage} from './stage.js';
import {Camera} from './camera.js';
import {World, measureClips} from './world.js';
import {Clock, SPEEDS} from './clock.js';
import {Timeline} from './timeline.js';
import {Plots} from './plots.js';
import {Readout, Gaps} from './readout.js';
import {makeCommands, listenToKeys, listCommands} from './keys.js';

const LIVE = 2000;   // milliseconds until a page of a run at work is read again

const byId = id => document.getElementById(id);

// The coordinates of a body, or of the first and the last point of anything else.
const endsOf = (clip, {kind, at, count}) => (kind === 'body' ? [0] : [0, count - 1]).flatMap(n => clip.columns.slice(at + 3 * n, at + 3 * n + 3));

// The time of a full swing of the coordinate that moves farthest, by more than round-off: twice the time between turns of more than a tenth of its range. Infinity: it does not turn.
function swingOf(clip) {
  const step = Math.ceil(clip.t.length / 1000);
  let best = null;
  for (const thing of clip.things.slice(0, 100))
    for (const column of /contact|joint|text/.test(thing.kind) ? [] : endsOf(clip, thing)) {
      let low = Infinity, high = -Infinity;
      for (let i = 0; i < column.count; i += step) { const x = column.at(i); if (x < low) low = x; if (x > high) high = x; }
      if (high - low > 1e-6 * clip.drawing.size && !(high - low <= best?.range)) best = {column, range: high - low};
    }
  if (!best) return Infinity;
  const values = best.column.all().filter(Number.isFinite);
  let turns = 0, way = 0, edge = values[0];
  for (const x of values) {
    if (way >= 0 ? x > edge : x < edge) edge = x;
    else if (Math.abs(x - edge) > 0.1 * best.range) { turns += way !== 0; way = Math.sign(x - edge); edge = x; }
  }
  return turns > 2 ? 2 * (clip.t[clip.t.length - 1] - clip.t[0]) / turns : Infinity;
}

async function readClips() {
  const clips = [];
  for (let n = 1; byId(`clip-${n}`); n++) clips.push(await readClip(n));
  return clips;
}

// What distinguishes several results: the integrator where they differ in it, the file otherwise.
function labelClips(clips) {
  const schemes = new Set(clips.map(clip => clip.integrator));
  for (const clip of clips) clip.label = schemes.size === clips.length ? clip.integrator : clip.file;
}

// ---- words

function aboutClip(clip) {
  const parts = clip.integrator ? [`${clip.integrator}, dt ${number(Number(clip.dt))} s`] : [];   // a table of a program has none
  if (clip.frames < clip.rows) parts.push(`${clip.frames} of ${clip.rows} rows`);
  if (clip.events.length) parts.push(`${clip.events.length} event${clip.events.length > 1 ? 's' : ''}${clip.located ? '' : ' at rows'}`);
  if (clip.found?.held < clip.found?.there) parts.push(`${clip.found.held} of ${clip.found.there} contacts, the strongest of each row`);
  if (clip.recorded > clip.quantities.length) parts.push(`${clip.quantities.length} of ${clip.recorded} quantities`);
  if (clip.status && clip.status !== 'finished') parts.push(clip.status === 'running' ? 'the run has not ended, or was killed' : clip.status);
  return parts.join(' \u00b7 ');
}

function tellAbout(clips) {
  document.title = clips[0].title || clips[0].file;
  byId('title').textContent = document.title;
  byId('about').textContent = clips.map(clip => (clips.length > 1 ? `${clip.file}: ` : '') + aboutClip(clip)).join('\n');
}

function say(text) {
  byId('notes').textContent = text;
  byId('notes').hidden = false;
}

// ---- the viewer

class Viewer {
  constructor(clips) {
    Object.assign(this, {clips, worlds: [], followed: null});
    const times = [...new Set(clips.flatMap(clip => [...clip.t]))].filter(Number.isFinite).sort((a, b) => a - b);
    this.clock = new Clock(times, swingOf(clips[0]), clips.flatMap(clip => clip.events).filter(e => Number.isFinite(e.t)).sort((a, b) => a.t - b.t));
    this.clock.listeners.push(() => this.redraw());
    this.makeStage(clips.filter(clip => clip.drawing));
    this.timeline = new Timeline(byId('timeline'), this.clock);
    this.plots = new Plots(byId('plots'), clips, this.clock);
    this.readout = new Readout(byId('readout'), this.plots);
    this.makeShown();
    this.makeButtons();
    this.setTheme(this.option('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
    new ResizeObserver(() => this.resized()).observe(document.body);
    this.resized();
    this.begin();
    this.redraw();
  }
  // An observer also tells the size that the page began with: that is no reason to draw it twice.
  resized() {
    const size = `${document.body.clientWidth} ${document.body.clientHeight}`;
    if (size === this.size) return;
    this.size = size;
    this.redraw();
    this.plots.forget();
  }
  option(name) { return new URLSearchParams(location.hash.slice(1)).get(name); }

  makeStage(drawn) {
    if (drawn.length === 0) { say(this.clips[0].nothing ?? ''); byId('plots').classList.add('alone'); return; }
    try {
      this.stage = new Stage(byId('picture'), measureClips(drawn).scale, this.option('film') !== null);
    } catch (error) {
      say('This browser does not draw in space (WebGL): there are plots only.');
      byId('plots').classList.add('alone');
      return;
    }
    const measure = measureClips(drawn), {planar, up} = drawn[0].drawing;
    this.worlds = drawn.map((clip, k) => new World(clip, this.stage, measure, k));
    this.camera = new Camera(byId('picture'), this.outline(), planar && drawn.every(clip => clip.drawing.planar), up);
    this.camera.insets = () => ({top: byId('about').getBoundingClientRect().bottom, right: byId('tools').offsetWidth});
    this.camera.listeners.push(() => this.redraw());
    this.listenToClicks();
  }

  // A click that is no drag shows what it meets.
  listenToClicks() {
    let down = null;
    const canvas = byId('picture');
    canvas.addEventListener('pointerdown', event => { down = [event.clientX, event.clientY]; canvas.focus({preventScroll: true}); });
    canvas.addEventListener('pointerup', event => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) this.inspect(event);
      down = null;
    });
  }
  inspect(event) {
    const box = byId('picture').getBoundingClientRect(), caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height), this.camera.eye);
    const hits = this.worlds.map(world => ({world, hit: world.pick(caster.ray)})).filter(({hit}) => hit).sort((a, b) => a.hit.distance - b.hit.distance);
    if (hits.length > 0) this.readout.show(hits[0].world.clip, hits[0].hit.thing); else this.readout.close();
    this.redraw();
  }

  // ---- what can be shown or hidden

  makeShown() {
    const dark = () => document.documentElement.classList.contains('dark'), any = has => this.worlds.some(has);
    this.shown = {
      ...any(world => world.contacts.any) && {contacts: {key: 'c', text: 'contacts and their forces', on: true, set: on => this.worlds.forEach(world => world.contacts.show(on))}},
      ...any(world => world.joints.list.length > 0) && {joints: {key: 'j', text: 'joints and their axes', on: true, set: on => this.worlds.forEach(world => world.joints.show(on))}},
      ...any(world => world.trailed().length > 0) && {trails: {key: 't', text: 'paths of the bodies', on: false, set: on => this.worlds.forEach(world => world.showTrails(on))}},
      ...any(world => Gaps.any(world.clip)) && {gaps: {key: 'g', text: 'gaps, magnified', on: false, set: on => this.showGaps(on)}},
      plots: {key: 'p', text: 'plots', on: true, set: on => { byId('plots').hidden = !on; }},
      dark: {key: 'd', text: 'dark or light', on: dark(), set: on => this.setTheme(on ? 'dark' : 'light')},
    };
    if (this.worlds.length > 1)
      this.shown.beside = {key: 's', text: 'side by side, or on top of each other', on: false, set: on => this.spread(on)};
  }
  toggle(name) {
    if (name === 'help') byId('help').hidden = !byId('help').hidden;
    else {
      const item = this.shown[name];
      item.on = !item.on;
      item.set(item.on);
      item.button?.setAttribute('aria-pressed', item.on);
    }
    this.redraw();
  }
  showGaps(on) {
    if (on && !this.gaps) {
      const element = document.createElement('aside');
      Object.assign(element.style, {left: '10px', right: 'auto', maxWidth: 'calc(100% - 20px)'});
      byId('stage').append(element);
      this.gaps = new Gaps(element, this.clips);
    }
    if (this.gaps) this.gaps.element.hidden = !on;
  }
  outline() { return this.worlds.flatMap(world => world.outline()); }
  spread(on) {
    const {right} = this.camera, width = 1.15 * Math.abs(new THREE.Box3().setFromPoints(this.worlds[0].outline()).getSize(new THREE.Vector3()).dot(right));
    this.worlds.forEach((world, k) => world.group.position.copy(world.home).addScaledVector(right, on ? k * width : 0));
    this.camera.see(this.outline());
  }
  setTheme(name) {
    document.documentElement.classList.toggle('dark', name === 'dark');
    this.shown.dark.on = name === 'dark';
    this.stage?.setTheme(name);
    this.plots.forget();
    this.redraw();
  }

  // The first view, once the page has its layout. Bodies that are small beside their way leave paths, unless the scene draws its own; the eye goes along with a system that travels.
  begin() {
    const [world] = this.worlds;
    if (!world) return;
    const drawn = world.clip.things.some(({kind}) => kind === 'path');
    if (!drawn && (world.travels || world.bodySize < 0.06 * world.size) && this.bodies().length <= 20 && this.shown.trails) this.toggle('trails');
    if (world.travels) this.follow(0);
    this.camera.reset();
  }

  // For a movie: no buttons, the time under the title, and what the address asks for.
  beginFilm() {
    document.documentElement.classList.add('film');
    this.clock.speed = Number(this.option('speed')) || this.clock.speed;
    this.plots.clear();
    for (const names of (this.option('plots') ?? '').split(';').filter(Boolean)) this.plots.addNamed(names);
    if (this.option('view')) this.camera?.look(this.option('view')); else this.camera?.fit();
    const leader = this.leaders.findIndex(({thing}) => thing?.name === this.option('follow'));
    if (leader >= 0) this.follow(leader);
  }

  // ---- following

  bodies() {
    return this.worlds.flatMap(world => world.clip.things.filter(thing => !thing.ground && /body|path|tube/.test(thing.kind) && moves(world.clip, thing)).map(thing => ({world, thing})));
  }
  // Leaders: all that moves, then each body.
  follow(k) {
    const next = k ?? (this.followed == null ? 0 : this.followed + 1), [world] = this.worlds;
    this.followed = next >= 0 && next < this.leaders.length ? next : null;
    this.seat = null;
    if (this.followed != null) this.leader = this.leaders[this.followed];
    this.camera.near = this.followed != null && world.travels ? world.scope * world.scale : 0;
    if (!this.followed) this.camera.fit();
    this.follower.value = String(this.followed ?? -1);
    this.redraw();
  }
  moveAlong() {
    if (this.followed == null) return;
    const seat = this.leader.world.seat(this.leader.thing, this.clock.t);
    if (!Number.isFinite(seat.x + seat.y + seat.z)) return;
    if (this.seat) this.camera.target.add(seat).sub(this.seat); else this.camera.target.copy(seat);
    this.seat = seat;
  }

  // ---- buttons

  button(parent, text, title, run) {
    const made = Object.assign(document.createElement('button'), {textContent: text, title});
    made.setAttribute('aria-label', title);
    made.addEventListener('click', run);
    parent.append(made);
    return made;
  }
  select(parent, title, entries, run) {
    const made = Object.assign(document.createElement('select'), {title});
    made.setAttribute('aria-label', title);
    for (const [value, text] of entries) made.append(Object.assign(document.createElement('option'), {value, textContent: text}));
    made.addEventListener('change', () => { run(made.value); made.blur(); });
    parent.append(made);
    return made;
  }
  makeButtons() {
    const {clock, camera} = this, bar = byId('buttons'), tools = byId('tools');
    this.playButton = this.button(bar, '\u25b6', 'play', () => clock.play());
    this.button(bar, '\u2039', 'one frame back', () => clock.stepFrame(-1));
    this.button(bar, '\u203a', 'one frame on', () => clock.stepFrame(1));
    if (clock.events.length > 0) {
      this.button(bar, '\u00ab', 'the event before', () => clock.stepEvent(-1));
      this.button(bar, '\u00bb', 'the next event', () => clock.stepEvent(1));
    }
    this.speed = this.select(bar, 'speed', SPEEDS.map(s => [s, `\u00d7${s}`]), value => { clock.speed = Number(value); clock.tell(); });
    this.loopButton = this.button(bar, '\u21bb', 'again and again', () => { clock.loop = !clock.loop; clock.tell(); });
    this.time = bar.appendChild(Object.assign(document.createElement('span'), {className: 'time'}));
    this.event = bar.appendChild(Object.assign(document.createElement('span'), {className: 'event'}));
    if (camera) {
      this.select(tools, 'view', [['', 'view'], ['front', 'front'], ['side', 'side'], ['top', 'top'], ['space', 'in space']], view => { if (view) camera.look(view); else camera.reset(); });
      const named = ({world, thing}) => (thing?.name ?? 'all that moves') + (this.worlds.length > 1 ? ` (${world.clip.label})` : '');
      this.leaders = [{world: this.worlds[0], thing: null}, ...this.bodies().slice(0, 500)];
      this.follower = this.select(tools, 'follow', [[-1, 'follow'], ...this.leaders.map((leader, k) => [k, named(leader)])], value => this.follow(Number(value)));
    } else this.follower = {};
    for (const [name, item] of Object.entries(this.shown)) {
      if (!camera && name !== 'dark' && name !== 'plots') continue;
      item.button = this.button(tools, name, `${item.text} (${item.key})`, () => this.toggle(name));
      item.button.className = 'wide';
      item.button.setAttribute('aria-pressed', item.on);
    }
    this.button(tools, '?', 'keys', () => this.toggle('help'));
    this.button(tools, '\u22ef', 'what to show', () => tools.classList.toggle('open')).className = 'more';   // on a phone
    const commands = makeCommands({clock, camera, shown: this.shown, toggle: name => this.toggle(name), follow: () => this.camera && this.follow()});
    listCommands(commands, byId('help'));
    listenToKeys(commands);
  }
  tellState() {
    const {clock} = this, near = clock.events.filter(e => Math.abs(e.t - clock.t) <= 1e-9 * (clock.to - clock.from));
    this.playButton.textContent = clock.playing ? '\u275a\u275a' : '\u25b6';
    this.loopButton.setAttribute('aria-pressed', clock.loop);
    this.speed.value = String(clock.speed);
    this.time.textContent = `t = ${clock.t.toFixed(Math.max(0, 3 - Math.floor(Math.log10(clock.to - clock.from || 1))))} s`;
    if (document.documentElement.classList.contains('film')) byId('about').textContent = `${this.time.textContent}   \u00d7${number(clock.speed)}`;
    this.event.textContent = near.map(e => `${e.kind} ${e.contact}${Number.isFinite(e.PN) && e.kind === 'strike' ? `, P = ${number(e.PN, 4)} Ns` : ''}`).slice(0, 3).join('; ');
  }

  // ---- pictures

  draw() {
    const {clock} = this;
    this.moveAlong();
    this.stage?.measure(this.camera);
    for (const world of this.worlds) world.update(clock.t, clock.speed, this.camera.direction());
    if (this.stage) this.stage.render(this.camera);
    this.timeline.draw();
    if (!byId('plots').hidden) this.plots.draw();
    this.readout.draw(clock.t);
    this.gaps?.draw(clock.t);
    this.tellState();
  }
  // Asks for a picture, unless one is asked for. While the clock goes on, each one asks for the next.
  redraw() { this.asked ??= requestAnimationFrame(now => this.frame(now)); }
  frame(now) {
    this.asked = null;
    this.clock.advance(Math.min(0.1, (now - (this.last ?? now)) / 1000));
    this.last = this.clock.playing ? now : null;
    this.draw();
  }
}

// A page that was read again goes on from where the eye was.
function takeUp({camera, option}) {
  const kept = option('eye')?.split(',').map(Number);
  if (camera && kept) { Object.assign(camera, {turn: kept[0], rise: kept[1], distance: kept[2]}); camera.tell(); }
  return kept !== undefined;
}

// A run is at work: the page is read again, at the same time and from the same place, or at the end where that was shown.
function goOn({clock, camera}) {
  setTimeout(() => {
    const parts = new URLSearchParams(location.hash.slice(1));
    if (clock.t < clock.to) parts.set('t', clock.t); else parts.delete('t');
    parts.set('eye', camera ? [camera.turn, camera.rise, camera.distance] : '');
    parts.set('theme', document.documentElement.classList.contains('dark') ? 'dark' : 'light');
    history.replaceState(null, '', `#${parts}`);
    location.reload();
  }, LIVE);
}

async function main() {
  const clips = await readClips();
  labelClips(clips);
  tellAbout(clips);
  const viewer = new Viewer(clips), t = viewer.option('t');
  const look = (read, name, n) => read(clips[n], clips[n].things.find(thing => thing.name === name), locate(clips[n], viewer.clock.t));
  window.carom = {   // for programs that drive the page
    viewer, clips,
    seek: time => { viewer.clock.pause(); viewer.clock.seek(time); viewer.draw(); },
    place: (name, n = 0) => look(centreOf, name, n),
    turn: (name, n = 0) => look(placeOf, name, n).q,
  };
  if (viewer.option('film')) viewer.beginFilm();
  const live = clips.some(clip => clip.live), followed = takeUp(viewer);
  if (t !== null) viewer.clock.seek(Number(t)); else if (live || followed) viewer.clock.seek(viewer.clock.to); else viewer.clock.play();
  if (live) goOn(viewer);
}

main().catch(error => { say(`This page could not be shown: ${error.message}`); console.error(error); });
