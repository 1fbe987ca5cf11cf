// Keys, the buttons that do the same, and the page that lists them.

export function makeCommands({clock, camera, shown, toggle, follow}) {
  const command = (keys, text, run) => ({keys, text, run});
  return [
    command([' '], 'play, pause', () => clock.play()),
    command(['ArrowLeft', ','], 'one frame back', () => clock.stepFrame(-1)),
    command(['ArrowRight', '.'], 'one frame on', () => clock.stepFrame(1)),
    command(['[', 'PageUp'], 'the event before', () => clock.stepEvent(-1)),
    command([']', 'PageDown'], 'the next event', () => clock.stepEvent(1)),
    command(['Home'], 'the start', () => clock.seek(clock.from)),
    command(['End'], 'the end', () => clock.seek(clock.to)),
    command(['-', 'ArrowDown'], 'slower', () => clock.faster(-1)),
    command(['+', '=', 'ArrowUp'], 'faster', () => clock.faster(1)),
    command(['l'], 'again and again, or once', () => { clock.loop = !clock.loop; clock.tell(); }),
    command(['0', 'r'], 'the first view again', () => camera?.reset()),
    command(['1'], 'from the front', () => camera?.look('front')),
    command(['2'], 'from the side', () => camera?.look('side')),
    command(['3'], 'from above', () => camera?.look('top')),
    command(['f'], 'follow the next body', () => follow()),
    ...Object.keys(shown).map(name => command([shown[name].key], shown[name].text, () => toggle(name))),
    command(['?', 'h'], 'this list', () => toggle('help')),
  ];
}

export function listenToKeys(commands) {
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    if (event.target.tagName === 'BUTTON' && event.key === ' ') return;
    const found = commands.find(c => c.keys.includes(event.key));
    if (!found) return;
    found.run();
    event.preventDefault();
  });
}

const NAMES = {' ': 'space', ArrowLeft: '\u2190', ArrowRight: '\u2192', ArrowUp: '\u2191', ArrowDown: '\u2193', PageUp: 'page up', PageDown: 'page down'};

export function listCommands(commands, element) {
  const heading = document.createElement('h2'), table = document.createElement('table');
  heading.textContent = 'Keys';
  for (const c of commands) {
    const row = table.insertRow(), keys = row.insertCell();
    for (const key of c.keys) {
      const name = document.createElement('kbd');
      name.textContent = NAMES[key] ?? key;
      keys.append(name, ' ');
    }
    row.insertCell().textContent = c.text;
  }
  const mouse = document.createElement('p');
  mouse.textContent = 'Drag to turn, with shift or two fingers to move, wheel or pinch to come nearer. ' +
    'Click a body or contact for its quantities; click a quantity to plot it. Drag along the line of time or in a plot to go to a time.';
  element.replaceChildren(heading, table, mouse);
}
