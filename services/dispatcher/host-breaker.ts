import type { HostSign } from './judge-answer.ts';

/** Where a host stands, as all dispatchers see it. `closed` is what has no row. */
export type HostState = 'closed' | 'open' | 'closing' | 'disabled';

/** A host that has just come back is believed less than one that was well all the time. */
const failuresWhileClosing = 2;

/** Counts what calls to one host of one client tell of it. */
export interface HostBreaker {
  /**
   * @param limit failures in a row from which on its jobs are put aside
   * @returns true when that number has just been reached
   */
  onSign(sign: HostSign, state: HostState, limit: number): boolean;
}

export function createHostBreaker(): HostBreaker {
  let failures = 0;
  return {
    onSign: (sign, state, limit) => {
      if (sign === 'answers') failures = 0;
      if (sign !== 'fails' || state === 'open' || state === 'disabled') return false;
      failures++;
      const isDown = failures >= (state === 'closing' ? Math.min(failuresWhileClosing, limit) : limit);
      if (isDown) failures = 0;
      return isDown;
    },
  };
}

/** Jobs brought back first, when a host answers again. */
const firstBroughtBack = 10;
const maxBroughtBack = 10_000;

/**
 * How many sidelined jobs are brought back in the second that begins so long after their host answered: it doubles each
 * second.
 */
export function broughtBack(sinceMs: number): number {
  return Math.min(maxBroughtBack, firstBroughtBack * 2 ** Math.floor(Math.max(0, sinceMs) / 1000));
}
