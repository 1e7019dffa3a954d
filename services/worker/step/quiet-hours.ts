import { quietAt, type QuietNow, type QuietRule } from '../../../shared/domain/run/quiet-hours.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

/** Milliseconds for which a result is reused, because the result is needed before every call. */
const goodForMs = 1000;

export interface QuietHours {
  readonly isEmpty: boolean;
  /** Returns the quiet hours that apply now; null if there are none. */
  of(actionType: string, country: string): QuietNow | null;
  follow(rules: readonly QuietRule[]): void;
}

export function createQuietHours(first: readonly QuietRule[], clock: Clock): QuietHours {
  let rules = first;
  const known = new Map<string, { quiet: QuietNow | null; atMs: number }>();
  return {
    get isEmpty() {
      return rules.length === 0;
    },
    of: (actionType, country) => {
      if (rules.length === 0) return null;
      const key = `${actionType}/${country}`;
      const atMs = clock.now().getTime();
      const before = known.get(key);
      if (before && atMs >= before.atMs && atMs - before.atMs < goodForMs && isSame(before.quiet, atMs)) {
        return before.quiet;
      }
      const quiet = quietAt(rules, { actionType, country }, atMs);
      known.set(key, { quiet, atMs });
      return quiet;
    },
    follow: (next) => {
      rules = next;
      known.clear();
    },
  };
}

function isSame(quiet: QuietNow | null, atMs: number): boolean {
  return quiet === null || atMs < quiet.untilMs;
}
