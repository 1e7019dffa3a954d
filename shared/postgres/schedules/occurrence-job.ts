import { writeOwnTerms } from '../../contracts/jobs/call-terms.ts';
import type { KeptCall } from '../../contracts/schedules/kept-schedules.ts';
import { occurrenceKey, type NewOccurrence } from '../../contracts/schedules/planned-rows.ts';
import { publicId } from '../../domain/ids/ids.ts';
import type { TemplateValues } from '../../domain/job/call-template.ts';
import { localTimeAt } from '../../domain/recurrence/zone-spans.ts';
import type { JobToStore } from '../../ports/job-intake.ts';
import type { PlannedRow } from './schedule-rows.ts';

/** Returns the job of a callback's occurrence. @param relevancies by client, in milliseconds */
export function occurrenceJob(
  occurrence: NewOccurrence,
  { target, schedule }: Pick<PlannedRow, 'target' | 'schedule'>,
  relevancies: ReadonlyMap<string, number>,
): JobToStore {
  const { scheduleId, group, scheduledForMs, targetId, dueAtMs } = occurrence;
  const { call, recurrence } = schedule.definition;
  const { zone } = recurrence;
  if (target.kind !== 'callback' || !call) throw new Error(`schedule ${scheduleId} has nothing to call`);
  const ownMs = call.relevancySeconds === null ? null : call.relevancySeconds * 1000;
  return {
    jobId: targetId,
    clientId: target.clientId,
    key: occurrenceKey(scheduleId, group, scheduledForMs),
    dueAt: new Date(dueAtMs),
    delayMs: 0,
    relevancyMs: ownMs ?? relevancies.get(target.clientId) ?? null,
    method: call.method,
    url: call.url,
    body: call.body,
    tags: call.tags,
    scheduleId,
    terms: writeOwnTerms({
      endpoint: call.endpoint?.id,
      endpointName: call.endpoint?.name,
      priority: call.priority,
      template: call.template && { form: call.template, values: valuesOf(occurrence, zone) },
    }),
    headers: JSON.stringify({ ...headersOf(call), ...occurrenceHeaders(occurrence) }),
  };
}

function headersOf({ headers }: KeptCall): object {
  const parsed: unknown = headers === null ? {} : JSON.parse(headers);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

/** Values of the template's names in body and headers. `scheduledFor` is the schedule's time, without the spread. */
function valuesOf({ scheduleId, group, scheduledForMs }: NewOccurrence, zone: string): TemplateValues {
  return {
    key: occurrenceKey(scheduleId, group, scheduledForMs),
    scheduleId: publicId('schedule', scheduleId),
    scheduledFor: new Date(scheduledForMs).toISOString(),
    localTime: localTimeAt(zone, scheduledForMs),
    ...(group !== '' && { group }),
  };
}

function occurrenceHeaders({ scheduleId, group, scheduledForMs }: NewOccurrence) {
  return {
    'muster-schedule-id': publicId('schedule', scheduleId),
    'muster-scheduled-for': new Date(scheduledForMs).toISOString(),
    ...(group === '' ? {} : { 'muster-group': group }),
  };
}
