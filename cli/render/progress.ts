import type { RunProgress, StepLineShape } from '../../shared/contracts/runs.ts';
import { clockTime, count, duration, percent } from './numbers.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './report.ts';

export interface ProgressView {
  progress: RunProgress;
  /** Users per second that ended each step, in the order of the steps. */
  rates: readonly number[];
  /** Since watching began. */
  elapsedSeconds: number;
}

/** A bar per step, to be drawn over again and again: always the same number of lines for the same run. */
export function renderBars({ progress, rates }: ProgressView, columns: number, paint: Paint): string[] {
  const { steps, state, stalled } = progress;
  const whole = expectedAudience(progress);
  const names = steps.map(({ step, action }) => `${step} ${action}`);
  const nameWidth = Math.max(...names.map((name) => name.length));
  const countWidth = count(whole).length;
  const room = columns - nameWidth - 2 * countWidth - 39;
  const barWidth = Math.max(8, Math.min(40, room));
  const bars = steps.map((line, index) => {
    const ended = endedUsers(line);
    const rate = rates[index] ?? 0;
    return [
      `  ${(names[index] ?? '').padEnd(nameWidth)} `,
      bar(line, whole, barWidth, paint),
      percent(ended, whole).padStart(5),
      ` ${count(ended).padStart(countWidth)} of ${count(whole)}`,
      paint.faint(
        whole > 0 && ended === whole ? '   done' : `${count(rate).padStart(8)}/s ${timeLeft(whole - ended, rate)}`,
      ),
    ].join(' ');
  });
  const told = stalled === null ? '' : `  waits: ${oneLine(stalled)}`;
  const trouble = told.length > columns ? `${told.slice(0, columns - 1)}…` : told;
  return [...bars, state === 'preparing' ? paint.faint('  asking for the segment …') : paint.bad(trouble)];
}

function bar(line: StepLineShape, whole: number, width: number, paint: Paint): string {
  const cells = (users: number) => (whole === 0 ? 0 : (users / whole) * width);
  const good = Math.round(cells(line.succeeded));
  const lost = Math.max(0, Math.round(cells(endedUsers(line))) - good);
  return paint.accent('█'.repeat(good)) + paint.bad('▓'.repeat(lost)) + paint.faint('░'.repeat(width - good - lost));
}

function timeLeft(users: number, rate: number): string {
  return rate > 0 ? `${duration(users / rate)} left` : '';
}

/** One line for logs and pipes, where nothing can be drawn over. */
export function renderProgressLine({ progress, rates, elapsedSeconds }: ProgressView): string {
  const whole = expectedAudience(progress);
  const steps = progress.steps.map((line, index) => {
    const ended = endedUsers(line);
    return `${line.action} ${percent(ended, whole)} (${count(ended)}, ${count(rates[index] ?? 0)}/s)`;
  });
  const stalled = progress.stalled === null ? [] : [`waits: ${oneLine(progress.stalled)}`];
  return [clockTime(elapsedSeconds), progress.state, ...steps, ...stalled].join('  ');
}

export function endedUsers({ audience, pending }: StepLineShape): number {
  return audience - pending;
}

/** The audience as far as it is known: what was estimated, until counting has overtaken or finished it. */
export function expectedAudience({ audience }: RunProgress): number {
  return audience.complete ? audience.counted : Math.max(audience.counted, audience.estimated ?? 0);
}
