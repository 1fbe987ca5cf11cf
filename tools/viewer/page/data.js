// Numbers of the page in columns. tools/viewer/columns.h tells how they are stored.

const CONSTANT = 0, PLACE = 1, QUANTITY = 2, TIME = 3;
const NO_NUMBER = -(2 ** 31);

// The whole numbers k_i: sums of sums of the differences that are stored.
function wholeNumbers(planes, count) {
  const k = new Int32Array(count);
  let before = 0, rise = 0;
  for (let i = 0; i < count; i++) {
    const folded = planes[i] | planes[count + i] << 8 | planes[2 * count + i] << 16 | planes[3 * count + i] << 24;
    rise = (rise + ((folded >>> 1) ^ -(folded & 1))) | 0;
    k[i] = before = (before + rise) | 0;
  }
  return k;
}

function floats(k) {
  const bits = new Int32Array(k.length);
  for (let i = 0; i < k.length; i++) bits[i] = k[i] < 0 ? k[i] ^ 0x7fffffff : k[i];
  return new Float32Array(bits.buffer);
}

function doubles(planes, count) {
  const bytes = new Uint8Array(8 * count);
  for (let i = 0; i < count; i++) for (let b = 0; b < 8; b++) bytes[8 * i + b] = planes[b * count + i];
  return new Float64Array(bytes.buffer);
}

// A column: at(i) is its number at frame i, between(i, s) the number at the part s of the way to the next frame.
class Column {
  constructor([coding, count, low, step], bytes, from) {
    Object.assign(this, {coding, count, low: low ?? NaN, step, bytes, from});
  }
  get constant() { return this.coding === CONSTANT; }
  get size() { return this.constant ? 0 : this.count * (this.coding === TIME ? 8 : 4); }

  // Read when it is first asked for.
  get numbers() {
    if (!this.read) {
      const planes = this.bytes.subarray(this.from, this.from + this.size);
      this.read = this.coding === TIME ? doubles(planes, this.count) : wholeNumbers(planes, this.count);
      if (this.coding === QUANTITY) this.read = floats(this.read);
    }
    return this.read;
  }
  at(i) {
    if (this.constant) return this.low;
    const k = this.numbers[i];
    if (this.coding !== PLACE) return k;
    return k === NO_NUMBER ? NaN : this.low + this.step * k;
  }
  between(i, s) {
    return s > 0 ? this.at(i) * (1 - s) + this.at(i + 1) * s : this.at(i);
  }
  all() {
    if (this.constant) return new Float64Array(this.count).fill(this.low);
    const {low, step, numbers} = this, values = Float64Array.from(numbers);
    if (this.coding === PLACE) for (let i = 0; i < values.length; i++) values[i] = numbers[i] === NO_NUMBER ? NaN : low + step * numbers[i];
    return values;
  }
}

export function readColumns(descriptions, bytes) {
  let from = 0;
  return descriptions.map(description => {
    const column = new Column(description, bytes, from);
    from += column.size;
    return column;
  });
}

// The last of the sorted times that is not after t; 0 where all are.
export function lastBefore(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}
