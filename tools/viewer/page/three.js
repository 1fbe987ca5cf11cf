// three.js, which the page holds packed, as the global THREE: the modules after this one use it.
import {inflate} from './packed.js';

async function loadThree() {
  const url = URL.createObjectURL(new Blob([await inflate(document.getElementById('three'))], {type: 'text/javascript'}));
  await new Promise((resolve, reject) => document.head.append(Object.assign(document.createElement('script'), {src: url, onload: resolve, onerror: reject})));
  URL.revokeObjectURL(url);
}

await loadThree();
