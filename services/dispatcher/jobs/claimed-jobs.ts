import type { ClaimedJob, ClientQueue } from './client-queue.ts';
import type { RouteLine } from '../routes/route-line.ts';

/**
 * Maximum time in milliseconds that a claimed job waits for a slot. Afterwards, this dispatcher releases the job in the
 * database, and another dispatcher may claim it.
 */
export const longestSlotWaitMs = 2000;

/** Maximum number of jobs that are claimed beyond the slots because routes do not answer. */
const mostHeldUp = 4;

type ClaimedJobs = Pick<ClientQueue, 'claimed' | 'routes'>;

/**
 * Returns the claimed job to begin next: the route must permit another call, and the route with the fewest calls comes
 * first. Among equal routes, the oldest job comes first.
 */
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
 * Returns how many more jobs to claim than there are slots, because claimed jobs wait for routes that do not answer.
 * The additional jobs may belong to other routes. A job waits for its route only briefly, until the route answers or is
 * blocked.
 */
export function extraClaims({ routes }: Pick<ClientQueue, 'routes'>, slots: number): number {
  return Math.min(mostHeldUp, routes.heldUp(slots));
}

/**
 * Returns true if the job has waited too long for a slot, or if its lease has expired. In both cases, another
 * dispatcher should call it.
 */
export function isLate({ job, sinceMs }: ClaimedJob, nowMs: number): boolean {
  return Math.min(sinceMs + longestSlotWaitMs, job.leaseUntilMs) <= nowMs;
}
