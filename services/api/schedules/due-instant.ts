import { Temporal } from 'temporal-polyfill';
import type { z } from 'zod';
import type { scheduleAt } from '../../../shared/contracts/campaigns/campaign-schedules.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { instantPattern, isLocalTime } from '../../../shared/contracts/instants.ts';
import { firstInstantOf } from '../../../shared/domain/recurrence/local-start.ts';
import { didYouMean } from '../frame/did-you-mean.ts';
import { quoted } from '../frame/http-problem.ts';

type ScheduleAt = z.infer<typeof scheduleAt>;

export type DueInstant = { ok: true; dueAt: Date } | { ok: false; problem: FieldProblem };

/**
 * Formats of times, which are the same for a job. `instantPattern` and `isLocalTime` decide whether a text is valid.
 * The patterns here only select the error message.
 */
const looksLikeInstant = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const looksLikeLocalTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/;

/** Pattern of names in the IANA database. Temporal would also accept `+08:00`, and times with a zone in brackets. */
const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/**
 * Returns the due time of a campaign with a start time, in whole milliseconds. A local time that a clock change skips
 * is due at the first instant after the gap; a repeated local time at its first occurrence. Pointers of problems are
 * relative to the schedule.
 */
export function dueInstant({ time, zone }: ScheduleAt): DueInstant {
  const hasOffset = looksLikeInstant.test(time);
  if (!hasOffset && !looksLikeLocalTime.test(time)) {
    const right = 'has to be a time such as 2026-12-01T09:00:00+08:00, or 2026-12-01T09:00:00 with a zone';
    return refused('/time', 'invalid-time', `${right}, not ${quoted(time)}`);
  }
  if (hasOffset ? !instantPattern.test(time) : !isLocalTime(time)) {
    const detail = `${quoted(time)} has the right form, but the day, time of day or offset does not exist`;
    return refused('/time', 'invalid-time', detail);
  }
  if (zone !== undefined && !isZone(zone)) {
    return refused(
      '/zone',
      'unknown-zone',
      `has to be an IANA time zone such as Asia/Singapore, not ${quoted(zone)}${didYouMean(zone, Intl.supportedValuesOf('timeZone'))}`,
    );
  }
  if (hasOffset) return byOffset(time, zone);
  if (zone !== undefined) return due(firstInstantOf(zone, Date.parse(`${time}Z`)));
  return refused(
    '/zone',
    'missing',
    `is missing: ${quoted(time)} has no offset, so its IANA time zone has to be named`,
  );
}

function byOffset(time: string, zone: string | undefined): DueInstant {
  const atMs = Date.parse(time.toUpperCase());
  if (zone === undefined) return due(atMs);
  const there = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  const wallClockMs = Date.parse(`${time.toUpperCase().replace(/(?:Z|[+-]\d{2}:\d{2})$/, '')}Z`);
  if (there.offsetNanoseconds / 1e6 === wallClockMs - atMs) return due(atMs);
  const detail = `contradicts the offset in ${quoted(time)}: it is ${there.offset} in ${zone} then; leave one of them out`;
  return refused('/zone', 'contradicting-zone', detail);
}

function isZone(zone: string): boolean {
  return zonePattern.test(zone) && orUndefined(() => new Temporal.ZonedDateTime(0n, zone)) !== undefined;
}

function due(atMs: number): DueInstant {
  return { ok: true, dueAt: new Date(atMs) };
}

function refused(pointer: string, code: string, detail: string): DueInstant {
  return { ok: false, problem: { pointer, code, detail } };
}

/** Returns the result of a function, or undefined if it throws. Temporal reports an invalid text only by throwing. */
function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
