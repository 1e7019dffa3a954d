import { readFileSync } from 'node:fs';

/**
 * Preloaded (`--import`) into one process: its wall clock is wrong by `CLOCK_SHIFT_MS`, as on a machine whose clock
 * is never set, or by what the file `CLOCK_SHIFT_FILE` holds at that moment, in milliseconds. Monotonic time stays
 * right, as it would.
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
