import { z } from 'zod';
import { readableRecurrence, type KeptSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import { newSchedule, type NewScheduleBody } from '../../../shared/contracts/schedules/schedules.ts';
import { headersOf } from '../jobs/accept/admit-jobs.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
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
  'unreadable',
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
  const unsaid = unreadableFields(before).filter((field) => !Object.hasOwn(fields.safeParse(patch).data ?? {}, field));
  if (unsaid.length > 0) throw invalidRequest(unsaid.map(unreadableProblem));
  const shown: [string, unknown][] = Object.entries(scheduleView(before));
  const said = Object.fromEntries(shown.filter(([field, value]) => !shownOnly.has(field) && value !== null));
  const checked = checkShape(newSchedule, mergePatch(withoutNulls(said), patch));
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}

/** What is stored of them would be lost unseen. */
function unreadableFields({ definition: { unreadable } }: ScheduleRecord): string[] {
  const places = unreadable?.places ?? [];
  const named = places.flatMap((place) => {
    const [part, field] = place.split('.');
    if (part === 'call') return ['target'];
    if (part === 'groups') return ['groups'];
    // Both are missing, or both are said: the rhythm's own check names them.
    if (field === 'cron' || field === 'everySeconds') return [];
    return part === 'recurrence' && field !== undefined ? [field] : ['target', ...Object.keys(recurrenceDefaults)];
  });
  return [...new Set(named)];
}

const recurrenceDefaults = readableRecurrence(null);

function unreadableProblem(field: string): FieldProblem {
  const detail = 'cannot be read as it is stored: say it anew, or null for what it is for a new one';
  return { pointer: `/${field}`, code: 'unreadable', detail };
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
