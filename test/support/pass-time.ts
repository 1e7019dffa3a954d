import type { SettableClock } from './settable-clock.ts';

/** Resolves when everything has happened that can happen without passing time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Advances time from one sleeper to the next, by `ms` in total. */
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
 * Advances time from one sleeper to the next until the condition holds.
 * @throws if the condition does not hold within `withinMs`
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
 * @returns the number of wake-ups
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
