/**
 * Shows all tests a date that is `MUSTER_DAYS_LATER` days ahead, so that a test that depends on the present date fails
 * before that date comes. vitest.config.ts uses this file only if the variable is set.
 */
const shifted = Symbol.for('muster.days-later');
const shiftMs = Number(process.env['MUSTER_DAYS_LATER']) * 86_400_000;
if (!Number.isFinite(shiftMs)) throw new Error('MUSTER_DAYS_LATER is not a number of days');

// Files of one worker may share their globals, and the date must be shifted once.
if (!(shifted in globalThis)) {
  const ActualDate = Date;
  const now = () => ActualDate.now() + shiftMs;
  Object.assign(globalThis, {
    [shifted]: true,
    Date: new Proxy(ActualDate, {
      construct: (target, args: unknown[], newTarget) => {
        const made: unknown = Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget);
        if (!(made instanceof target)) throw new Error('a subclass of Date returned something else');
        return made;
      },
      get: (target, name, receiver): unknown => (name === 'now' ? now : Reflect.get(target, name, receiver)),
    }),
  });
}
