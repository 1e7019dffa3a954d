import type { CampaignDefinitionInput } from '#client/types.gen.ts';
import type { LocalProblem } from '../forms/schema-values.ts';
import { spanOf, unitSeconds, type Span } from './durations.ts';
import { instantOf, wallClock } from '../times/zoned-times.ts';

export type Schedule = NonNullable<CampaignDefinitionInput['schedule']>;

export const whenKinds = ['now', 'at', 'local', 'recurring'] as const;
export type WhenKind = (typeof whenKinds)[number];

export const misfires = ['fire-once', 'fire-all', 'skip'] as const;
export type Misfire = (typeof misfires)[number];

export const overlaps = ['skip', 'buffer-one', 'allow'] as const;
export type Overlap = (typeof overlaps)[number];

export const daysOff = ['skip', 'before', 'after'] as const;
export type DayOff = (typeof daysOff)[number];

/** A schedule as it is typed. While one kind is chosen, the fields of the other kinds keep their values. */
export interface WhenForm {
  kind: WhenKind;
  /** Time such as `2026-12-01T09:00`, in `zone`, or for the kind `local` in the zone of each country. */
  time: string;
  /** Time zone of the kinds `at` and `recurring`. */
  zone: string;
  /** Chosen time zone by country, for countries that have several zones. */
  zones: Readonly<Record<string, string>>;
  rule: 'cron' | 'every';
  cron: string;
  every: Span;
  /** Earliest and latest start, as wall-clock times in `zone`. Empty means no limit. */
  from: string;
  until: string;
  misfire: Misfire;
  /** Time for which missed occurrences are caught up; empty means the API's default. */
  catchUp: Span;
  overlap: Overlap;
  /** Work calendar whose days off apply; empty if every day is a workday. */
  workCalendar: string;
  onDayOff: DayOff;
  /** Value of the loaded campaign. The form has no field for it, and keeps it unchanged. */
  spreadSeconds: number;
}

export const defaultWhen: WhenForm = {
  kind: 'now',
  time: '',
  zone: 'UTC',
  zones: {},
  rule: 'cron',
  cron: '0 9 * * MON',
  every: { amount: '1', unit: 'd' },
  from: '',
  until: '',
  misfire: 'fire-once',
  catchUp: { amount: '', unit: 'min' },
  overlap: 'skip',
  workCalendar: '',
  onDayOff: 'skip',
  spreadSeconds: 0,
};

/** Converts the form into a schedule, with the problems of texts that are not a number or not a time. */
export function scheduleOf(
  when: WhenForm,
  countries: readonly string[],
): { schedule: Schedule; problems: LocalProblem[] } {
  const problems: LocalProblem[] = [];
  const seconds = (span: Span, pointer: string) => secondsOf(span, pointer, problems);
  const catchUpSeconds = seconds(when.catchUp, '/schedule/catchUpSeconds');
  const catchUp = catchUpSeconds === undefined ? {} : { catchUpSeconds };
  switch (when.kind) {
    case 'now':
      return { schedule: { type: 'now' }, problems: [] };
    case 'at':
      return { schedule: { type: 'at', time: withSeconds(when.time), zone: when.zone, ...catchUp }, problems };
    case 'local': {
      const named = Object.entries(when.zones).filter(([country, zone]) => zone !== '' && countries.includes(country));
      const zones = named.length === 0 ? {} : { zones: Object.fromEntries(named) };
      return { schedule: { type: 'local', time: withSeconds(when.time), ...zones, ...catchUp }, problems };
    }
    case 'recurring': {
      const everySeconds = when.rule === 'every' ? seconds(when.every, '/schedule/everySeconds') : undefined;
      const rule = when.rule === 'cron' ? { cron: when.cron } : everySeconds === undefined ? {} : { everySeconds };
      const bound = (name: 'from' | 'until') => boundOf(when, name, problems);
      const { misfire, overlap, spreadSeconds, workCalendar, onDayOff } = when;
      const isBound = when.rule === 'cron' && workCalendar !== '';
      const policies = { misfire, overlap, ...(spreadSeconds === 0 ? {} : { spreadSeconds }) };
      const bounds = { ...bound('from'), ...bound('until'), ...(isBound && { workCalendar, onDayOff }) };
      return {
        schedule: { type: 'recurring', ...rule, zone: when.zone, ...bounds, ...policies, ...catchUp },
        problems,
      };
    }
  }
}

export function secondsOf({ amount, unit }: Span, pointer: string, problems: LocalProblem[]): number | undefined {
  if (amount.trim() === '') return undefined;
  const number = Number(amount.trim().replaceAll(',', ''));
  if (Number.isFinite(number)) return Math.round(number * unitSeconds[unit]);
  problems.push({ pointer, detail: `has to be a number, not “${amount}”` });
  return undefined;
}

function boundOf(when: WhenForm, name: 'from' | 'until', problems: LocalProblem[]): Record<string, string> {
  if (when[name] === '') return {};
  const instant = safeInstant(when[name], when.zone);
  if (instant !== null) return { [name]: instant };
  problems.push({ pointer: `/schedule/${name}`, detail: `is not a valid time in ${when.zone}` });
  return {};
}

function safeInstant(time: string, zone: string): string | null {
  try {
    return instantOf(withSeconds(time), zone);
  } catch {
    // The typed zone is not valid yet.
    return null;
  }
}

/** Adds seconds: the browser's inputs omit them if they are zero. */
function withSeconds(time: string): string {
  const plain = time.trim().replace(/\s+/, 'T');
  return plain.length === 16 ? `${plain}:00` : plain;
}

/** @param zone default, if the schedule has no zone */
export function whenOf(schedule: Schedule | undefined, zone: string): WhenForm {
  const first = { ...defaultWhen, zone };
  const catchUpOf = (seconds: number | undefined) => (seconds === undefined ? {} : { catchUp: spanOf(seconds) });
  switch (schedule?.type) {
    case undefined:
    case 'now':
      return first;
    case 'at': {
      const named = schedule.zone ?? zone;
      // A time with an offset is converted into the wall-clock time of the zone.
      const isLocal = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(schedule.time);
      const time = isLocal ? schedule.time : wallClock(schedule.time, named);
      return { ...first, kind: 'at', time: shortTime(time), zone: named, ...catchUpOf(schedule.catchUpSeconds) };
    }
    case 'local': {
      const { time, zones = {}, catchUpSeconds } = schedule;
      return { ...first, kind: 'local', time: shortTime(time), zones, ...catchUpOf(catchUpSeconds) };
    }
    case 'recurring': {
      const {
        cron,
        everySeconds,
        zone: named = 'UTC',
        from,
        until,
        misfire,
        overlap,
        catchUpSeconds,
        spreadSeconds,
        workCalendar,
        onDayOff,
      } = schedule;
      return {
        ...first,
        kind: 'recurring' as const,
        zone: named,
        ...(everySeconds === undefined ? {} : { rule: 'every' as const, every: spanOf(everySeconds) }),
        ...(cron === undefined ? {} : { rule: 'cron' as const, cron }),
        from: from === undefined ? '' : shortTime(wallClock(from, named)),
        until: until === undefined ? '' : shortTime(wallClock(until, named)),
        misfire: misfire ?? first.misfire,
        overlap: overlap ?? first.overlap,
        spreadSeconds: spreadSeconds ?? 0,
        workCalendar: workCalendar ?? '',
        onDayOff: onDayOff ?? 'skip',
        ...catchUpOf(catchUpSeconds),
      };
    }
  }
}

function shortTime(time: string): string {
  return time.endsWith(':00') && time.length === 19 ? time.slice(0, 16) : time;
}
