import { Temporal } from 'temporal-polyfill';
import type { z } from 'zod';
import type { scheduleAt } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { didYouMean } from '../frame/did-you-mean.ts';
import { quoted } from '../frame/http-problem.ts';

type ScheduleAt = z.infer<typeof scheduleAt>;

export type DueInstant = { ok: true; dueAt: Date } | { ok: false; problem: FieldProblem };

const timePattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/i;

/** Names of the IANA database only: `+08:00` and whole times with a zone in brackets would pass as zones otherwise. */
const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/**
 * When a campaign that starts at a time is due, in whole milliseconds. A local time that a clock change skips is due at
 * the first valid instant after the gap, one that comes twice at its first pass. Pointers count from the schedule.
 */
export function dueInstant({ time, zone }: ScheduleAt): DueInstant {
  const [, local, offset] = timePattern.exec(time) ?? [];
  const wallClock = local === undefined ? undefined : orUndefined(() => Temporal.PlainDateTime.from(local));
  if (!wallClock) {
    if (local !== undefined) {
      const detail = `${quoted(time)} is written as it has to be, but there is no such day or time of day`;
      return refused('/time', 'invalid-time', detail);
    }
    const right = 'has to be a time such as 2026-12-01T09:00:00+08:00, or 2026-12-01T09:00:00 with a zone';
    return refused('/time', 'invalid-time', `${right}, not ${quoted(time)}`);
  }
  if (zone !== undefined && !isZone(zone)) {
    return refused(
      '/zone',
      'unknown-zone',
      `has to be an IANA time zone such as Asia/Singapore, not ${quoted(zone)}${didYouMean(zone, Intl.supportedValuesOf('timeZone'))}`,
    );
  }
  if (offset !== undefined) return byOffset(time, wallClock, zone);
  if (zone !== undefined) return due(inZone(wallClock, zone));
  return refused(
    '/zone',
    'missing',
    `is missing: ${quoted(time)} has no offset, so its IANA time zone has to be named`,
  );
}

function byOffset(time: string, wallClock: Temporal.PlainDateTime, zone: string | undefined): DueInstant {
  const instant = orUndefined(() => Temporal.Instant.from(time));
  if (!instant) return refused('/time', 'invalid-time', `${quoted(time)} has an offset that there is not`);
  if (zone === undefined) return due(instant);
  const there = instant.toZonedDateTimeISO(zone);
  if (there.toPlainDateTime().equals(wallClock)) return due(instant);
  const detail = `contradicts the offset in ${quoted(time)}: it is ${there.offset} in ${zone} then; leave one of them out`;
  return refused('/zone', 'contradicting-zone', detail);
}

function inZone(wallClock: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  const earlier = wallClock.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (earlier.toPlainDateTime().equals(wallClock)) return earlier.toInstant();
  // The time is skipped, and `earlier` lies before the change that skips it.
  const change = earlier.getTimeZoneTransition('next');
  return (change ?? earlier).toInstant();
}

function isZone(zone: string): boolean {
  return zonePattern.test(zone) && orUndefined(() => new Temporal.ZonedDateTime(0n, zone)) !== undefined;
}

function due(instant: Temporal.Instant): DueInstant {
  return { ok: true, dueAt: new Date(instant.epochMilliseconds) };
}

function refused(pointer: string, code: string, detail: string): DueInstant {
  return { ok: false, problem: { pointer, code, detail } };
}

/** Temporal has no other way to ask whether it takes a text. */
function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
