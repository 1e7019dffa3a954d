import type { SchedulePreview } from '#client/types.gen.ts';
import type { ClockChange } from '../../parts/times/clock-change.ts';

type Fire = SchedulePreview['fires'][number];

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Returns the instant from which fires are previewed, shortly before the clock change. */
export function previewStart({ at }: ClockChange): string {
  return new Date(Date.parse(at) - 5 * minuteMs).toISOString();
}

export interface ClockEffect {
  icon: 'fwd' | 'twice' | 'gap';
  words: string;
}

/** Returns the effect of a clock change on a schedule; null if it affects no fire. */
export function findClockEffect({ at: changesAt, isForward }: ClockChange, fires: readonly Fire[]): ClockEffect | null {
  const near = fires.filter(({ at }) => at === null || Math.abs(Date.parse(at) - Date.parse(changesAt)) < 3 * hourMs);
  const countOf = (mark: Fire['mark']) =>
    near.filter((fire) => fire.mark === mark).reduce((sum, { instants }) => sum + instants, 0);
  const [skipped, shifted, repeated] = [countOf('skipped'), countOf('shifted'), countOf('repeated')];
  if (isForward && shifted > 0) {
    return {
      icon: 'fwd',
      words: `${shifted} shifted: the local time does not exist that day, so it fires right after the change`,
    };
  }
  if (isForward && skipped > 0) {
    return { icon: 'gap', words: `${skipped} skipped: the local time does not exist that day` };
  }
  if (!isForward && repeated > 0) {
    return { icon: 'twice', words: `${repeated} more: the hour occurs twice, and it fires in both` };
  }
  return null;
}
