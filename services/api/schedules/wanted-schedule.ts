import { z } from 'zod';
import type { KeptSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import { newSchedule, type NewScheduleBody } from '../../../shared/contracts/schedules/schedules.ts';
import { headersOf } from '../jobs/accept/admit-jobs.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import { bodyTextOf } from '../jobs/accept/read-job.ts';
import type { ScheduleRecord } from './schedule-store.port.ts';
import { scheduleView } from './schedule-view.ts';

/** A schedule's definition as it is stored. */
export function definitionOf({ target, groups, name: _, note: __, ...recurrence }: NewScheduleBody): KeptSchedule {
  const { url, method, headers, body, relevancySeconds = null, tags = [] } = target;
  const sent = bodyTextOf(body);
  return {
    recurrence,
    ...(groups ? { groups } : {}),
    call: { url, method, headers: headersOf(headers, sent), body: sent?.text ?? null, relevancySeconds, tags },
  };
}

/** What only the server says: it may come back in a patch. */
const shownOnly = new Set([
  'id',
  'revision',
  'state',
  'stateReason',
  'stateSince',
  'campaignId',
  'nextAt',
  'decidedUntil',
  'createdAt',
  'updatedAt',
  'links',
]);

/**
 * A schedule with the fields of a patch.
 * @throws {HttpProblem} 422 where that is no schedule
 */
export function patchedSchedule(before: ScheduleRecord, patch: unknown): NewScheduleBody {
  const shown: [string, unknown][] = Object.entries(scheduleView(before));
  const said = Object.fromEntries(shown.filter(([field, value]) => !shownOnly.has(field) && value !== null));
  const checked = checkShape(newSchedule, mergePatch(withoutNulls(said), patch));
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}

const fields = z.record(z.string(), z.unknown());

/** RFC 7396. */
function mergePatch(before: unknown, patch: unknown): unknown {
  const wanted = fields.safeParse(patch);
  if (!wanted.success) return patch;
  const merged = new Map(Object.entries(fields.safeParse(before).data ?? {}));
  for (const [field, value] of Object.entries(wanted.data)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergePatch(merged.get(field), value));
  }
  return Object.fromEntries(merged);
}

function withoutNulls(value: unknown): unknown {
  const read = fields.safeParse(value);
  if (!read.success) return value;
  const kept = Object.entries(read.data).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([field, inner]) => [field, withoutNulls(inner)]));
}
