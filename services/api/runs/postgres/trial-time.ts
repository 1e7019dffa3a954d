import type { RunKind } from '../../../../shared/domain/run/run-kinds.ts';

/** Offsets of scheduled times within a millisecond. Retries use 500 microseconds. */
const microseconds = { test: 250, 'dry-run': 750 } as const;

/**
 * Returns the SQL of the scheduled time of a test or dry run of campaign `c`. The time is after any possible due time
 * of a job, so that no job takes this run for its own, and after the last run of the same kind.
 */
export function trialTime(kind: Exclude<RunKind, 'live'>): string {
  return `greatest(
        date_trunc('milliseconds', clock_timestamp()) + interval '${microseconds[kind]} microseconds',
        (select max(scheduled_for) + interval '1 millisecond' from runs
          where campaign = c.id and kind = '${kind}' and scheduled_for > now() - interval '1 minute'))`;
}
