import { readFileSync } from 'node:fs';

/**
 * Preloaded (`--import`) into one process, this module makes its wall clock wrong by `CLOCK_SHIFT_MS`, or by the
 * milliseconds that the file `CLOCK_SHIFT_FILE` contains at that moment. Monotonic time stays right, as on a real
 * machine with a wrong clock.
 */
const { CLOCK_SHIFT_MS: fixedMs = '0', CLOCK_SHIFT_FILE: file } = process.env;
const readEveryMs = 50;
const rightNow = Date.now.bind(Date);
let shiftMs = Number(fixedMs);

if (file !== undefined) {
  const read = () => {
    shiftMs = Number(readFileSync(file, 'utf8'));
  };
  read();
  setInterval(read, readEveryMs).unref();
}

Date.now = () => rightNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given) => {
    if (given.length === 0) return new target(target.now());
    const made: unknown = Reflect.construct(target, given);
    if (made instanceof target) return made;
    throw new TypeError('no date was made');
  },
});
