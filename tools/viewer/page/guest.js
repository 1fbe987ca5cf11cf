// Motions in a page of something else, such as a report: a button each, which opens the viewer in a frame. Nothing of it is unpacked before.
import {inflate} from './packed.js';

let template = null;   // the viewer without three.js and clips

// The page of one clip, put together as viewer_write does.
async function pageOf(clip) {
  const text = id => document.getElementById(id).textContent;
  template ??= new TextDecoder().decode(await inflate(document.getElementById('viewer')));
  const parts = `<script type="text/plain" id="numbers-1">${text(`numbers-${clip}`)}</${'script'}>\n<script type="application/json" id="clip-1">${text(`clip-${clip}`)}</${'script'}>`;
  return template.replace('@THREE@', () => text('three')).replace('@CLIPS@', () => parts);
}

async function open(place) {
  const frame = document.createElement('iframe');
  frame.title = 'the motion';
  frame.allow = 'fullscreen';
  frame.srcdoc = await pageOf(place.dataset.clip);
  place.append(frame);
  frame.addEventListener('load', () => frame.contentWindow.focus());
}

for (const place of document.querySelectorAll('.motion')) {
  const button = document.createElement('button'), tell = () => { button.textContent = place.querySelector('iframe') ? '\u00d7 close' : '\u25b6 watch it move'; };
  button.type = 'button';
  button.addEventListener('click', async () => {
    const frame = place.querySelector('iframe');
    if (frame) frame.remove(); else await open(place);
    tell();
  });
  tell();
  place.prepend(button);
}
