import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../shared/ports/clock.ts';

export interface DomainLimits {
  /** Mails per second that this process sends to each domain. Undefined: no limit. */
  perSecond: number | undefined;
  /** Mails per second to individual domains, instead of `perSecond`. */
  perSecondOf: ReadonlyMap<string, number>;
  /** Number of consecutive refusals after which mails to the domain pause. */
  pauseAfterRefusals: number;
  pauseMs: number;
}

export type Admission = { kind: 'admitted'; waitMs: number } | { kind: 'paused' } | { kind: 'rate-limited' };

/**
 * Rate limit and circuit breaker for each recipient domain, so that a refusing or slow domain does not delay others.
 * The state is kept in memory.
 */
export interface DomainGate {
  /** Reserves the domain's next send time if it is within `withinMs`. */
  admit(domain: string, withinMs: number): Admission;
  /** Reports the outcome of a mail. @param isRefused true if the domain refused the sender, not only one mailbox */
  report(domain: string, isRefused: boolean): void;
}

interface DomainState {
  /** Next free send time, on the monotonic clock. */
  nextMs: number;
  refusals: number;
  pausedUntilMs: number;
}

const maxDomains = 10_000;

export function createDomainGate(
  { perSecond, perSecondOf, pauseAfterRefusals, pauseMs }: DomainLimits,
  clock: Clock,
): DomainGate {
  const domains = new LRUCache<string, DomainState>({ max: maxDomains });

  function stateOf(domain: string): DomainState {
    const known = domains.get(domain);
    if (known) return known;
    const state = { nextMs: 0, refusals: 0, pausedUntilMs: 0 };
    domains.set(domain, state);
    return state;
  }

  return {
    admit: (domain, withinMs) => {
      const state = stateOf(domain);
      const nowMs = clock.monotonicMs();
      if (state.pausedUntilMs > nowMs) return { kind: 'paused' };
      const rate = perSecondOf.get(domain) ?? perSecond;
      if (rate === undefined) return { kind: 'admitted', waitMs: 0 };
      const placeMs = Math.max(nowMs, state.nextMs);
      if (placeMs - nowMs > withinMs) return { kind: 'rate-limited' };
      state.nextMs = placeMs + 1000 / rate;
      return { kind: 'admitted', waitMs: placeMs - nowMs };
    },
    report: (domain, isRefused) => {
      const state = stateOf(domain);
      state.refusals = isRefused ? state.refusals + 1 : 0;
      if (state.refusals < pauseAfterRefusals) return;
      // After the pause, a single refusal starts the next pause.
      state.refusals = pauseAfterRefusals - 1;
      state.pausedUntilMs = clock.monotonicMs() + pauseMs;
    },
  };
}
