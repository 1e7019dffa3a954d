import { z } from 'zod';
import type {
  GroupShape,
  OccurrenceShape,
  PreviewShape,
  ScheduleShape,
} from '../../../shared/contracts/schedules/schedules.ts';
import { maskUrl } from '../../../shared/contracts/jobs/stored-calls.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import {
  readableCall,
  readableGroups,
  readableRecurrence,
  type KeptCall,
} from '../../../shared/contracts/schedules/kept-schedules.ts';
import { movedDays } from '../../../shared/domain/recurrence/local-times.ts';
import type { NextFires, Recurrence } from '../../../shared/domain/recurrence/recurrence.ts';
import { dayOf, whyDayOff } from '../../../shared/domain/recurrence/work-calendars.ts';
import { maskHeaders } from '../jobs/job-content.ts';
import type { GroupRecord, OccurrenceRecord, ScheduleRecord } from './schedule-store.port.ts';

/**
 * Returns the view of a schedule.
 * @param withContent true if the view includes the body of the call, which only callers may see who see the bodies of
 * jobs
 */
export function scheduleView(record: ScheduleRecord, withContent: boolean): ScheduleShape {
  const { definition, clientId, campaignId, name, revision, state, stateReason, note } = record;
  const { kept, unreadable } = definition;
  const id = publicId('schedule', record.scheduleId);
  const self = `/v1/schedules/${id}`;
  return {
    id,
    name,
    revision,
    state,
    stateReason,
    stateSince: record.stateSince.toISOString(),
    target: targetView(storedCallOf(record), clientId, withContent),
    withheld: !withContent,
    campaignId: campaignId === null ? null : publicId('campaign', campaignId),
    ...(kept ? kept.recurrence : readableRecurrence(unreadable.stored)),
    groups: (kept ? kept.groups : readableGroups(unreadable.stored)) ?? null,
    unreadable: unreadable && { cause: unreadable.cause, stored: readablePart(unreadable.stored, withContent) },
    note,
    nextAt: record.nextAt?.toISOString() ?? null,
    decidedUntil: record.highWater.toISOString(),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    links: { self, occurrences: `${self}/occurrences`, preview: `${self}/preview` },
  };
}

/** Returns the stored call. Returns undefined if the schedule calls no URL, or if the call cannot be parsed. */
export function storedCallOf({ definition: { kept, unreadable } }: ScheduleRecord): KeptCall | undefined {
  return kept ? kept.call : readableCall(unreadable.stored);
}

const storedDefinition = z.looseObject({ call: z.looseObject({ headers: z.unknown(), body: z.unknown() }) });

/**
 * Returns the readable part of a stored definition. Headers are omitted, because headers that cannot be parsed may be
 * secrets. Without a readable call, the whole definition counts as content.
 */
function readablePart(stored: unknown, withContent: boolean): unknown {
  const read = storedDefinition.safeParse(stored).data;
  if (!read) return withContent ? stored : null;
  const { headers: _, body, ...call } = read.call;
  return { ...read, call: withContent ? { ...call, body } : call };
}

function targetView(
  call: KeptCall | undefined,
  clientId: string | null,
  withContent: boolean,
): ScheduleShape['target'] {
  if (!call || clientId === null) return null;
  const { endpoint, url, method, headers, body, template, relevancySeconds, tags, priority } = call;
  return {
    client: publicId('client', clientId),
    ...(endpoint && { endpoint: endpoint.name }),
    url: maskUrl(url),
    method,
    body: withContent ? body : null,
    tags,
    headers: maskHeaders(headers) ?? {},
    ...(template && { template: true }),
    ...(priority && { priority }),
    ...(relevancySeconds === null ? {} : { relevancySeconds }),
  };
}

export function occurrenceView(record: OccurrenceRecord): OccurrenceShape {
  const { scheduledFor, lastInstant, instants, group, state, kind, cause, jobId, runId, dueAt, region, decidedAt } =
    record;
  return {
    scheduledFor: scheduledFor.toISOString(),
    lastInstant: lastInstant.toISOString(),
    instants,
    group: group === '' ? null : group,
    state,
    kind,
    cause,
    region,
    jobId: jobId === null ? null : publicId('job', jobId),
    runId: runId === null ? null : publicId('run', runId),
    dueAt: dueAt?.toISOString() ?? null,
    decidedAt: decidedAt.toISOString(),
  };
}

interface Previewed {
  zone: string;
  recurrence: Recurrence;
}

export function previewView({ zone, recurrence }: Previewed, { instants, lookedUntilMs }: NextFires): PreviewShape {
  const daysOff = recurrence.kind === 'cron' ? recurrence.daysOff : undefined;
  return {
    zone,
    lookedUntil: lookedUntilMs === null ? null : new Date(lookedUntilMs).toISOString(),
    fires: instants.map((instant) => {
      if (instant.kind === 'skipped') {
        return { at: null, localTime: localTime(instant.firstLocalMs), mark: 'skipped', instants: instant.count };
      }
      if (instant.kind === 'day-off') {
        const { localMs: offMs, count } = instant;
        const reason = daysOff && whyDayOff(daysOff.calendar, dayOf(offMs));
        return {
          at: null,
          localTime: localTime(offMs),
          mark: 'day-off',
          instants: count,
          ...(reason && { why: reason }),
        };
      }
      const { atMs, localMs, mark } = instant;
      const movedFrom = localMs === null ? [] : movedTimes(recurrence, localMs);
      return {
        at: new Date(atMs).toISOString(),
        localTime: localMs === null ? null : localTime(localMs),
        mark,
        instants: 1,
        ...(movedFrom.length > 0 && { movedFrom }),
      };
    }),
  };
}

/** Returns the instants on days off that were moved to this instant, earliest first. */
function movedTimes(recurrence: Recurrence, localMs: number) {
  if (recurrence.kind !== 'cron' || !recurrence.daysOff) return [];
  const { cron, daysOff } = recurrence;
  const day = dayOf(localMs);
  const days = [...movedDays(cron, daysOff, day)].sort((a, b) => a - b);
  return days.map((off) => ({
    localTime: localTime(off + localMs - day),
    why: whyDayOff(daysOff.calendar, off),
  }));
}

function localTime(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 19);
}

export function groupView(record: GroupRecord): GroupShape {
  const { name, revision, homeRegion, fallbackSeconds, tags, countries, createdAt, updatedAt } = record;
  return {
    name,
    revision,
    homeRegion,
    fallbackSeconds,
    tags: [...tags],
    countries: [...countries],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self: `/v1/groups/${name}` },
  };
}
