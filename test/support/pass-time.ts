import type { SettableClock } from './settable-clock.ts';

/** Lets everything happen that can happen without time moving. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Moves time on from one sleeper to the next, `ms` in all. */
export async function passTime(clock: SettableClock, ms: number): Promise<void> {
  const endMs = clock.nowMs() + ms;
  await settled();
  for (let wakeMs = clock.nextWakeMs(); wakeMs !== undefined && wakeMs <= endMs; wakeMs = clock.nextWakeMs()) {
    clock.advance(Math.max(0, wakeMs - clock.nowMs()));
    await settled();
  }
  clock.advance(endMs - clock.nowMs());
  await settled();
}

/**
 * Moves time on from one sleeper to the next until the condition holds.
 * @throws when it does not within `withinMs`
 */
export async function passTimeUntil(clock: SettableClock, isMet: () => boolean, withinMs = 600_000): Promise<void> {
  const endMs = clock.nowMs() + withinMs;
  await settled();
  while (!isMet()) {
    const wakeMs = clock.nextWakeMs();
    if (wakeMs === undefined || wakeMs > endMs) throw new Error(`nothing of the kind happened within ${withinMs} ms`);
    clock.advance(Math.max(0, wakeMs - clock.nowMs()));
    await settled();
  }
}

/**
 * Passes time like `passTime`.
 * @returns the number of wake-ups meanwhile
 */
export async function wakeUpsWithin(clock: SettableClock, ms: number): Promise<number> {
  const endMs = clock.nowMs() + ms;
  let wakeUps = 0;
  for (let wakeMs = clock.nextWakeMs(); wakeMs !== undefined && wakeMs <= endMs; wakeMs = clock.nextWakeMs()) {
    wakeUps++;
    await passTime(clock, Math.max(0, wakeMs - clock.nowMs()));
  }
  await passTime(clock, endMs - clock.nowMs());
  return wakeUps;
}
