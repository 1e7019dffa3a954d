import { readSchedule, type PlannableSchedule } from '../../contracts/schedules/kept-schedules.ts';
import type { ScheduleTarget } from '../../contracts/schedules/planned-rows.ts';
import type { SkipCause } from '../../domain/recurrence/policies.ts';

export interface PlannedRow {
  scheduleId: string;
  name: string;
  target: ScheduleTarget;
  schedule: PlannableSchedule;
  /** A schedule that is not active only records skipped occurrences. */
  isActive: boolean;
  /** Time of the transaction. */
  nowMs: number;
}

/** Milliseconds since 1970, as a number; the microseconds of Postgres are cut off. */
export const msOf = (column: string) => `trunc(extract(epoch from ${column}) * 1000)::float8`;

export const plannedColumns = `s.id, s.name, s.client, s.campaign, s.definition, s.state,
  (select c.revision from campaigns c where c.id = s.campaign) as "campaignRevision",
  ${msOf('s.created_at')} as "createdAtMs", ${msOf('s.high_water')} as "highWaterMs",
  ${msOf('s.skip_until')} as "skipUntilMs", s.skip_cause as "skipCause", ${msOf('now()')} as "nowMs"`;

export interface PlannedColumns {
  id: string;
  name: string;
  client: string | null;
  campaign: string | null;
  campaignRevision: number | null;
  definition: unknown;
  state: string;
  createdAtMs: number;
  highWaterMs: number;
  skipUntilMs: number | null;
  skipCause: SkipCause | null;
  nowMs: number;
}

/** @throws if the definition cannot be planned; the message is the cause */
export function plannedRowOf(row: PlannedColumns): PlannedRow {
  const { id, name, createdAtMs, highWaterMs, skipUntilMs, skipCause, nowMs } = row;
  const { kept: definition, unreadable } = readSchedule(row.definition);
  if (unreadable) throw new Error(unreadable.cause);
  if (row.client !== null && !definition.call) throw new Error('call: is missing');
  const silence = skipUntilMs !== null && skipCause !== null ? { untilMs: skipUntilMs, cause: skipCause } : null;
  return {
    scheduleId: id,
    name,
    target: targetOf(row),
    schedule: { definition, createdAtMs, highWaterMs, silence },
    isActive: row.state === 'active',
    nowMs,
  };
}

function targetOf({ id, client, campaign, campaignRevision }: PlannedColumns): ScheduleTarget {
  if (client !== null) return { kind: 'callback', clientId: client };
  if (campaign !== null) return { kind: 'campaign', campaignId: campaign, revision: campaignRevision ?? 1 };
  throw new Error(`schedule ${id} has no target`);
}
