import type { Clock } from '../../shared/ports/clock.ts';

const windowMs = 60_000;
/** A call is forgotten up to so much later. */
const stepMs = 2000;

interface Step {
  untilMs: number;
  counts: Map<string, number>;
}

/** Calls that ended in the last minute, by what they went through. What has none costs nothing. */
export interface CallCounts {
  note(outletId: string): void;
  /** Forgets what is older: to be asked for now and then. */
  lastMinute(): ReadonlyMap<string, number>;
}

export function createCallCounts({ clock }: { clock: Pick<Clock, 'monotonicMs'> }): CallCounts {
  const sums = new Map<string, number>();
  /** Oldest first. */
  const steps: Step[] = [];

  function forget(nowMs: number): void {
    for (let first = steps[0]; first && first.untilMs <= nowMs - windowMs; first = steps[0]) {
      steps.shift();
      for (const [outletId, count] of first.counts) add(sums, outletId, -count);
    }
  }

  return {
    note: (outletId) => {
      const nowMs = clock.monotonicMs();
      let last = steps.at(-1);
      if (!last || last.untilMs <= nowMs) {
        last = { untilMs: nowMs + stepMs, counts: new Map() };
        steps.push(last);
      }
      add(last.counts, outletId, 1);
      add(sums, outletId, 1);
    },
    lastMinute: () => {
      forget(clock.monotonicMs());
      return sums;
    },
  };
}

function add(counts: Map<string, number>, outletId: string, count: number): void {
  const sum = (counts.get(outletId) ?? 0) + count;
  if (sum > 0) counts.set(outletId, sum);
  else counts.delete(outletId);
}
