import {
  scheduleAt,
  scheduleLocal,
  scheduleRecurring,
} from '../../../shared/contracts/campaigns/campaign-schedules.ts';
import { localStartMs, zoneOfCountry } from '../../../shared/contracts/campaigns/local-starts.ts';
import { everyDayWorks, recurrenceOf } from '../../../shared/contracts/schedules/recurrences.ts';
import { nextInstantMs } from '../../../shared/domain/recurrence/recurrence.ts';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { dueInstant } from './due-instant.ts';
import { quoted } from '../frame/http-problem.ts';

/**
 * Time by which a start may lie in the past, in milliseconds. It allows for slow requests and for differences between
 * clocks.
 */
const pastToleranceMs = 60_000;

/**
 * Returns problems of a campaign's schedule that its shape does not find: a time that has passed, or that cannot be
 * parsed.
 */
export function checkSchedule(schedule: unknown, countries: readonly unknown[], now: Date): readonly FieldProblem[] {
  const at = scheduleAt.safeParse(schedule);
  if (at.success) {
    const due = dueInstant(at.data);
    if (!due.ok) return [{ ...due.problem, pointer: `/schedule${due.problem.pointer}` }];
    return pastTime(at.data.time, due.dueAt.getTime(), now);
  }
  const local = scheduleLocal.safeParse(schedule);
  if (local.success) return countries.flatMap((country) => checkCountry(local.data, country, now));
  const recurring = scheduleRecurring.safeParse(schedule);
  if (!recurring.success) return [];
  const nextMs = nextInstantMs(recurrenceOf(recurring.data, now.getTime(), everyDayWorks), now.getTime());
  if (nextMs !== null) return [];
  const detail = `there is no occurrence from now, ${now.toISOString()}, until ${recurring.data.until ?? 'forever'}`;
  return [{ pointer: '/schedule/until', code: 'past-time', detail }];
}

function pastTime(time: string, dueMs: number, now: Date): FieldProblem[] {
  if (dueMs >= now.getTime() - pastToleranceMs) return [];
  const detail = `${quoted(time)} is ${new Date(dueMs).toISOString()}, which is past; it is ${now.toISOString()} now`;
  return [{ pointer: '/schedule/time', code: 'past-time', detail }];
}

type Local = Parameters<typeof zoneOfCountry>[0];

function checkCountry(local: Local, country: unknown, now: Date): FieldProblem[] {
  if (typeof country !== 'string' || !countryPattern.test(country)) return [];
  const found = zoneOfCountry(local, country);
  if ('choices' in found) {
    const pointer = `/schedule/zones/${country}`;
    const { choices } = found;
    const detail =
      choices.length === 0
        ? `is missing: the time zone of ${country} is unknown; give one`
        : `is missing: the time zones of ${country} differ then; give one, such as ${choices.slice(0, 4).join(', ')}`;
    return [{ pointer, code: 'missing', detail }];
  }
  return pastTime(`${local.time} in ${country}`, localStartMs(local, country) ?? 0, now);
}
