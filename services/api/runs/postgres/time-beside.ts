import type { RunKind } from '../../../../shared/domain/run/run-kinds.ts';

/** Retries come half a millisecond behind. */
const microseconds = { test: 250, 'dry-run': 750 } as const;

/**
 * SQL: when a run beside those of its campaign `c` is for. Behind any time that a job can be due at, so that no job
 * takes it for its own, and behind the last one of its kind.
 */
export function timeBeside(kind: Exclude<RunKind, 'live'>): string {
  return `greatest(
        date_trunc('milliseconds', clock_timestamp()) + interval '${microseconds[kind]} microseconds',
        (select max(scheduled_for) + interval '1 millisecond' from runs
          where campaign = c.id and kind = '${kind}' and scheduled_for > now() - interval '1 minute'))`;
}
