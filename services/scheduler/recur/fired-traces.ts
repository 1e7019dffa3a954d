import { publicId } from '../../../shared/domain/ids/ids.ts';
import { isSampled, rootSpanOf, traceOfJob } from '../../../shared/domain/tracing/trace-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import type { FiredOccurrence } from '../ports/due-schedules.ts';

export interface FiredTracesDeps {
  tracing?: Tracing | null | undefined;
  clock: Clock;
}

/**
 * Records the root spans of jobs that schedules created, as the API does for jobs that it accepts. Run starts have no
 * root span.
 * @param beganMs time of the request by the clock's `monotonicMs`
 */
export function recordFired(
  fired: readonly FiredOccurrence[],
  beganMs: number,
  { tracing, clock }: FiredTracesDeps,
): void {
  if (!tracing) return;
  const endMs = clock.now().getTime();
  const startMs = endMs - (clock.monotonicMs() - beganMs);
  for (const { targetId, isJob, scheduleId } of fired) {
    const traceId = traceOfJob(targetId);
    if (!isJob || !isSampled(traceId, tracing.share)) continue;
    tracing.record({
      traceId,
      spanId: rootSpanOf(traceId),
      parentId: null,
      name: 'accept job',
      kind: 'producer',
      startMs,
      endMs,
      error: null,
      attributes: { 'muster.job': publicId('job', targetId), 'muster.schedule': publicId('schedule', scheduleId) },
    });
  }
}
