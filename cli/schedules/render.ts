import type {
  GroupShape,
  OccurrenceShape,
  PreviewShape,
  ScheduleShape,
} from '../../shared/contracts/schedules/schedules.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { localAndUtc, utcTime } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });
const cut = (title: string): Column => ({ ...left(title), cut: true });

export function renderSchedules(schedules: readonly ScheduleShape[], paint: Paint, width = Infinity): string {
  const columns = [left('id'), cut('name'), left('state'), cut('rhythm'), left('next'), cut('for')];
  const rows = schedules.map((each) => [
    ...[each.id, oneLine(each.name), each.state, oneLine(rhythmOf(each))],
    ...[each.nextAt === null ? '–' : utcTime(each.nextAt), oneLine(targetOf(each))],
  ]);
  return renderTable(columns, rows, paint, width);
}

function rhythmOf({ cron, everySeconds, zone }: Pick<ScheduleShape, 'cron' | 'everySeconds' | 'zone'>): string {
  return cron === undefined ? `every ${everySeconds ?? 0} s` : `${cron} ${zone}`;
}

function targetOf({ target, campaignId }: ScheduleShape): string {
  return target ? `${target.method} ${target.url}` : (campaignId ?? '');
}

/** A line for each thing to know. */
export function renderSchedule(schedule: ScheduleShape, paint: Paint): string {
  const { id, name, state, stateReason, revision, groups, note, from, until, nextAt, zone } = schedule;
  const reason = stateReason === null ? '' : ` (${oneLine(stateReason)})`;
  const facts: [string, string | undefined][] = [
    ['rhythm', rhythmOf(schedule)],
    ['next', nextAt === null ? 'none' : localAndUtc(nextAt, zone)],
    ['for', targetOf(schedule)],
    [
      'groups',
      groups === null ? undefined : 'names' in groups ? groups.names.join(', ') : `tags ${groups.tags.join(', ')}`,
    ],
    ['from', from],
    ['until', until],
    ['missed', `${schedule.misfire}, within ${count(schedule.catchUpSeconds)} s`],
    ['overlap', schedule.overlap],
    ['spread', schedule.spreadSeconds === 0 ? undefined : `${count(schedule.spreadSeconds)} s`],
    ['decided', `until ${utcTime(schedule.decidedUntil)}`],
    ['note', note ?? undefined],
  ];
  const lines = facts.map(([label, text]) => {
    return text === undefined ? '' : `  ${paint.faint(label.padEnd(8))}  ${oneLine(text)}\n`;
  });
  return `  ${paint.strong(oneLine(name))}\n  ${paint.faint(`${id} · ${state}${reason} · revision ${revision}`)}\n\n${lines.join('')}`;
}

export function renderOccurrences(occurrences: readonly OccurrenceShape[], paint: Paint, width = Infinity): string {
  if (occurrences.length === 0) return '';
  const columns = [left('instant'), left('group'), left('what'), right('instants'), left('until'), cut('made')];
  const rows = occurrences.map(({ scheduledFor, group, state, cause, kind, instants, lastInstant, jobId, runId }) => [
    ...[scheduledFor, group ?? '–', cause === null ? `${state}${byHand(kind)}` : `${state}: ${cause}`, count(instants)],
    ...[instants > 1 ? lastInstant : '', jobId ?? runId ?? ''],
  ]);
  return renderTable(columns, rows, paint, width);
}

function byHand(kind: OccurrenceShape['kind']): string {
  return kind === null || kind === 'planned' ? '' : ` (${kind})`;
}

export function renderPreview({ fires, zone }: PreviewShape, paint: Paint, width = Infinity): string {
  const columns = [left('fires at'), left(`on the clocks of ${oneLine(zone)}`), left('mark')];
  const rows = fires.map(({ at, localTime, mark, instants }) => [
    ...[at ?? 'not at all', localTime ?? '', mark === null ? '' : instants > 1 ? `${mark}, ${instants} times` : mark],
  ]);
  return renderTable(columns, rows, paint, width);
}

export function renderGroups(groups: readonly GroupShape[], paint: Paint, width = Infinity): string {
  const columns = [left('name'), left('home'), right('others after'), cut('tags'), cut('countries')];
  const rows = groups.map(({ name, homeRegion, fallbackSeconds, tags, countries }) => [
    ...[name, homeRegion ?? 'any', homeRegion === null ? '' : `${count(fallbackSeconds)} s`],
    ...[oneLine(tags.join(', ')), oneLine(countries.join(', '))],
  ]);
  return renderTable(columns, rows, paint, width);
}
