import type { Occurrence, Schedule, SchedulePreview } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { count } from '../show/numbers.ts';
import { cut, left, renderFacts, renderItems, right, tableOf, type ItemColumn } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { localAndUtc, utcTime } from '../show/times.ts';

export const scheduleColumns: readonly ItemColumn<Schedule>[] = [
  left('id', ({ id }) => id),
  cut('name', ({ name }) => name),
  left('state', ({ state }) => state),
  cut('rhythm', rhythmOf),
  left('next', ({ nextAt }) => (nextAt === null ? '–' : utcTime(nextAt))),
  cut('for', targetOf),
];

function rhythmOf({ cron, everySeconds, zone }: Pick<Schedule, 'cron' | 'everySeconds' | 'zone'>): string {
  if (cron !== undefined) return `${cron} ${zone ?? '(zone unreadable)'}`;
  return everySeconds === undefined ? 'unreadable' : `every ${everySeconds} s`;
}

function targetOf({ target, campaignId }: Schedule): string {
  return target ? `${target.method} ${target.url}` : (campaignId ?? '');
}

export function renderSchedule(schedule: Schedule, view: View): string {
  const { id, name, state, stateReason, revision, groups, note, from, until, nextAt, zone } = schedule;
  const reason = stateReason === null ? '' : ` (${stateReason})`;
  return renderFacts(
    { name, facts: [id, `${state}${reason}`, `revision ${revision}`] },
    [
      ['unreadable', schedule.unreadable?.cause],
      ['rhythm', rhythmOf(schedule)],
      ['next', nextAt === null ? 'none' : localAndUtc(nextAt, zone ?? 'UTC')],
      ['for', targetOf(schedule)],
      ['days off', schedule.workCalendar && `${schedule.workCalendar}, ${schedule.onDayOff ?? 'skip'}`],
      ['groups', groups && ('names' in groups ? groups.names.join(', ') : `tags ${groups.tags.join(', ')}`)],
      ['from', from],
      ['until', until],
      ['missed', missedOf(schedule)],
      ['overlap', schedule.overlap ?? undefined],
      ['spread', schedule.spreadSeconds ? `${count(schedule.spreadSeconds)} s` : undefined],
      ['decided', `until ${utcTime(schedule.decidedUntil)}`],
      ['note', note],
    ],
    view,
  );
}

function missedOf({ misfire, catchUpSeconds }: Schedule): string | undefined {
  return misfire === null || catchUpSeconds === null ? undefined : `${misfire}, within ${count(catchUpSeconds)} s`;
}

export const occurrenceTable = tableOf<Occurrence>('', [
  left('instant', ({ scheduledFor }) => scheduledFor),
  left('group', (occurrence) => occurrence.group ?? '–'),
  left('what', ({ state, cause, kind }) => (cause === null ? `${state}${byHand(kind)}` : `${state}: ${cause}`)),
  right('instants', ({ instants }) => instants),
  left('until', ({ instants, lastInstant }) => (instants > 1 ? lastInstant : '')),
  cut('made', ({ jobId, runId }) => jobId ?? runId ?? ''),
]);

function byHand(kind: Occurrence['kind']): string {
  return kind === null || kind === 'planned' ? '' : ` (${kind})`;
}

/** Formats `day-off (Christmas Day), 3 times`, or `for 2026-12-25T09:00:00 (Christmas Day)`. */
function markOf({ mark, instants, why, movedFrom = [] }: SchedulePreview['fires'][number]): string {
  const moved = movedFrom.map((each) => `for ${each.localTime} (${oneLine(each.why)})`);
  const marks = mark === null ? [] : [why === undefined ? mark : `${mark} (${oneLine(why)})`];
  const times = instants > 1 ? [`${instants} times`] : [];
  return [...marks, ...times, ...moved].join(', ');
}

export function renderPreview({ fires, zone, lookedUntil }: SchedulePreview, view: View): string {
  const table = renderItems(
    fires,
    [
      left('fires at', ({ at }) => at ?? 'not at all'),
      left(`on the clocks of ${zone}`, ({ localTime }) => localTime ?? ''),
      left('mark', markOf),
    ],
    view,
  );
  return lookedUntil === null ? table : `${table}What fires after ${utcTime(lookedUntil)} was not looked for.\n`;
}
