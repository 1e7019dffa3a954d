import type { ClaimedJob, ClientQueue } from './client-queue.ts';
import type { RouteLine } from '../routes/route-line.ts';

/** Milliseconds after which a claimed job without a slot returns to the table, for other dispatchers. */
export const longestSlotWaitMs = 2000;

/** Upper bound on the jobs claimed beyond the slots because of routes that are not answered. */
const mostHeldUp = 4;

type ClaimedJobs = Pick<ClientQueue, 'claimed' | 'routes'>;

/** Returns the claimed job whose route has the fewest calls and may begin one; among equals the oldest. */
export function nextToBegin({ claimed, routes }: ClaimedJobs, slots: number): ClaimedJob | undefined {
  const [first] = claimed;
  if (first?.line.waiting === claimed.length) {
    return first.line.inFlight < routes.allowed(first.line, slots) ? first : undefined;
  }
  let best: ClaimedJob | undefined;
  const compared = new Set<RouteLine>();
  for (const each of claimed) {
    const { line } = each;
    if (compared.has(line)) continue;
    compared.add(line);
    if (best && line.inFlight >= best.line.inFlight) continue;
    if (line.inFlight < routes.allowed(line, slots)) best = each;
    if (best?.line.inFlight === 0) return best;
  }
  return best;
}

/**
 * Returns how many more jobs are claimed because of held-up ones: jobs of other routes may be behind them. Jobs are
 * held up only briefly, until their route is answered or blocked.
 */
export function heldUp({ routes }: Pick<ClientQueue, 'routes'>, slots: number): number {
  return Math.min(mostHeldUp, routes.heldUp(slots));
}

/** True if the job has waited too long for a slot, or its lease has expired: another dispatcher may have it by then. */
export function isLate({ job, sinceMs }: ClaimedJob, nowMs: number): boolean {
  return Math.min(sinceMs + longestSlotWaitMs, job.leaseUntilMs) <= nowMs;
}
