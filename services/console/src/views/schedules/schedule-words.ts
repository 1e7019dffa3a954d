import type { Occurrence, Schedule } from '#client/types.gen.ts';
import { describeCron } from '../../parts/when/cron-words.ts';
import type { StateLook } from '../../parts/standing/state-looks.ts';
import { formatDuration } from '../../parts/times/times.ts';

const looks: Readonly<Record<Schedule['state'], StateLook>> = {
  active: { icon: 'done', word: 'Active', tone: 'ok' },
  paused: { icon: 'paused', word: 'Paused', tone: 'warn' },
  disabled: { icon: 'cancelled', word: 'Disabled', tone: 'idle' },
  broken: { icon: 'failed', word: 'Broken', tone: 'bad' },
  ended: { icon: 'tick', word: 'Ended', tone: 'idle' },
};

export function scheduleLook(state: Schedule['state']): StateLook {
  return looks[state];
}

/** Returns the rule in words, and as written. */
export function formatRule({ cron, everySeconds }: Schedule): { words: string; written: string } {
  if (everySeconds !== undefined) {
    const every = formatDuration(everySeconds * 1000);
    return { words: `Every ${every}`, written: `every ${everySeconds} s` };
  }
  if (cron === undefined) return { words: 'cannot be read', written: '' };
  return { words: describeCron(cron) ?? cron, written: cron };
}

const misfires = {
  'fire-once': 'Fire once for all missed fires',
  'fire-all': 'Fire late for each',
  skip: 'Do not fire',
} as const;

const overlaps = {
  skip: 'Skip the new fire',
  'buffer-one': 'Fire when it has ended',
  allow: 'Fire in parallel',
} as const;

export function formatMisfire({ misfire, catchUpSeconds }: Schedule): string {
  if (misfire === null) return 'cannot be read';
  const late = catchUpSeconds === null ? '' : `, up to ${formatDuration(catchUpSeconds * 1000)} late`;
  return `${misfires[misfire]}${misfire === 'skip' ? '' : late}`;
}

export function formatOverlap({ overlap }: Schedule): string {
  return overlap === null ? 'cannot be read' : overlaps[overlap];
}

/** Describes groups: `SG, ID and 3 more`, or those with a tag. */
export function formatGroups(groups: NonNullable<Schedule['groups']>): string {
  if ('tags' in groups) return `groups with ${groups.tags.join(', ')}`;
  const [first = '', second, ...rest] = groups.names;
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  return second === undefined ? `group ${first}` : `groups ${first}, ${second}${more}`;
}

/** Describes the effect of a day off. */
export function formatDayOff(policy: Schedule['onDayOff']): string {
  return policy === undefined || policy === 'skip' ? 'skipped' : `fires on the working day ${policy}`;
}

const causes: Readonly<Record<NonNullable<Occurrence['cause']>, string>> = {
  'clock-change': 'the local time did not exist that day',
  'day-off': 'its work calendar has that day off',
  paused: 'it was paused',
  disabled: 'it was disabled',
  broken: 'it could not be read',
  misfire: 'missed; one fire covers all missed ones',
  'too-late': 'it would have been too late',
  overlap: 'the previous one was still running',
  'no-groups': 'it had no group',
  quota: 'the quota of its client was used up',
  restored: 'the database was restored, and it may have fired before',
};

export function describeOccurrence({ state, cause, kind, instants }: Occurrence): string {
  const many = instants > 1 ? `, ${instants} in a row` : '';
  if (state === 'skipped') return `skipped${many}: ${cause === null ? 'no reason was recorded' : causes[cause]}`;
  if (state === 'buffered') return 'waits until the previous one has ended';
  return kind === 'manual' ? 'fired manually' : kind === 'backfill' ? 'fired later, as a backfill' : 'fired';
}
