import type { SchedulePreview } from '#client/types.gen.ts';
import { formatTime } from '../times/times.ts';
import { isAmbiguousTime, instantOf } from '../times/zoned-times.ts';

export interface FireMark {
  icon: 'fwd' | 'twice' | 'gap' | 'calendar';
  text: string;
}

export interface FireRow {
  key: string;
  /** Time in the rule's zone. A skipped start has the time at which it would have started. */
  time: string;
  /** Time in the user's zone; null if the start is skipped. */
  ownTime: string | null;
  mark: FireMark | null;
}

interface Clocks {
  zone: string;
  own: string;
  now: Date;
}

const marks = {
  shifted: { icon: 'fwd', text: 'skipped by the clock change; starts right after it' },
  repeated: { icon: 'twice', text: 'occurs a second time; starts again' },
  twice: { icon: 'twice', text: 'occurs twice; starts the first time' },
  skipped: { icon: 'gap', text: 'skipped by the clock change; does not start' },
  'day-off': { icon: 'calendar', text: 'falls on a day off; does not start' },
} as const;

/** Returns the next starts of a rule, with the effect of clock changes on each. */
export function fireRows(fires: SchedulePreview['fires'], { zone, own, now }: Clocks): FireRow[] {
  return fires.map(({ at, localTime, mark: reportedMark, instants, why, movedFrom }) => {
    const mark = reportedMark ?? (localTime !== null && isAmbiguousTime(localTime, zone) ? 'twice' : null);
    const key = `${at ?? ''} ${localTime ?? ''}`;
    const ownTime = at === null ? null : formatTime(at, { zone: own, now });
    if (mark !== null && localTime !== null) {
      const { icon, text } = marks[mark];
      const many = instants > 1 ? ` (${instants} in a row)` : '';
      const called = why === undefined ? '' : `, ${why}`;
      const words = `${localTime.slice(11, 16)} ${text}${many}${called}`;
      return { key, time: localInWords(localTime, zone, now), ownTime, mark: { icon, text: words } };
    }
    const moved = movedFrom === undefined ? null : movedMark(movedFrom);
    const instant = at ?? (localTime === null ? null : instantOf(localTime.slice(0, 19), zone));
    return { key, time: instant === null ? '' : formatTime(instant, { zone, now }), ownTime, mark: moved };
  });
}

function movedMark(from: NonNullable<SchedulePreview['fires'][number]['movedFrom']>): FireMark {
  const days = from.map(({ localTime, why }) => `${localTime.slice(0, 10)} (${why})`);
  return { icon: 'calendar', text: `also for ${days.join(', ')}, off` };
}

/** Formats a wall-clock time, which need not exist in the zone. */
function localInWords(localTime: string, zone: string, now: Date): string {
  const asUtc = `${localTime.slice(0, 19)}Z`;
  const text = formatTime(asUtc, { zone: 'UTC', now: new Date(`${wallDay(now, zone)}T00:00:00Z`) });
  return text;
}

function wallDay(now: Date, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    now,
  );
}
