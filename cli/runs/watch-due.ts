import type { Clock } from '../../shared/ports/clock.ts';
import { duration } from '../show/numbers.ts';
import { localTime, zoneOf } from '../show/times.ts';
import type { Terminal } from '../frame/terminal.ts';
import type { Campaign } from '../../sdk/generated/types.gen.ts';

const soonMs = 10_000;
const pollSoonMs = 250;
const pollLaterMs = 5000;
const leastBetweenNotesMs = 60_000;

/** Display of the time until a watched campaign starts: redrawn on a terminal, otherwise an occasional line. */
export interface DueDisplay {
  /** Shows the remaining time. Returns the pause before the next call, in milliseconds. */
  show(): number;
  end(): void;
}

export function createDueDisplay(
  campaign: Pick<Campaign, 'nextRunAt' | 'schedule'>,
  terminal: Terminal,
  clock: Clock,
): DueDisplay {
  const { nextRunAt } = campaign;
  let printedAtMs: number | undefined;
  let leftWhenPrintedMs = Infinity;

  function leftMs(): number {
    return nextRunAt === null ? 0 : Date.parse(nextRunAt) - clock.now().getTime();
  }

  /** Limits the printed lines: at most one a minute, and only after a tenth of the remaining time has passed. */
  function isTimeToSay(left: number): boolean {
    if (printedAtMs === undefined) return true;
    return clock.monotonicMs() - printedAtMs >= leastBetweenNotesMs && left <= leftWhenPrintedMs * 0.9;
  }

  return {
    show: () => {
      const left = leftMs();
      if (nextRunAt === null || left <= 0) return pollSoonMs;
      const line = `due ${localTime(nextRunAt, zoneOf(campaign))}, in ${duration(left / 1000)}`;
      if (terminal.live) terminal.redraw([`  ${line}`]);
      else if (isTimeToSay(left)) {
        terminal.note(`${line}\n`);
        printedAtMs = clock.monotonicMs();
        leftWhenPrintedMs = left;
      }
      if (terminal.live) return left < soonMs ? pollSoonMs : 1000;
      return left < soonMs ? pollSoonMs : pollLaterMs;
    },
    end: () => {
      if (terminal.live) terminal.redraw([]);
    },
  };
}
