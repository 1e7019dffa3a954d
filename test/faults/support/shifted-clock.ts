/**
 * Preloaded (`--import`) into one process: its wall clock is wrong by `CLOCK_SHIFT_MS`, as on a machine whose clock
 * is never set. Monotonic time is left alone, as it would be.
 */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? '0');
const rightNow = Date.now.bind(Date);

Date.now = () => rightNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given) => {
    if (given.length === 0) return new target(target.now());
    const made: unknown = Reflect.construct(target, given);
    if (made instanceof target) return made;
    throw new TypeError('no date was made');
  },
});
