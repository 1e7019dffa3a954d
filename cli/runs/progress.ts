import type { RunProgress, StepLine } from '../../sdk/generated/types.gen.ts';
import { clockTime, count, duration, percent } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { cellsOf, cutTo, oneLine, padTo } from '../show/text.ts';
import { utcTimeOfDay } from '../show/times.ts';
import { variantsLine } from './variants.ts';

export interface ProgressView {
  progress: RunProgress;
  /** Rate of each step, in the order of the steps: users per second that ended the step. */
  rates: readonly number[];
  /** Seconds since watching began. */
  elapsedSeconds: number;
}

/** Layouts of a step's line, from wide to narrow. All contain the remaining time. */
const layouts = [
  { bar: true, whole: true },
  { bar: false, whole: true },
  { bar: false, whole: false },
] as const;

type Layout = (typeof layouts)[number];

const leastBarCells = 8;
const mostBarCells = 40;

/**
 * Renders a line per step, a line for the receipts of an asynchronous step, and a line for all variants. The number of
 * lines is constant for a run, so that it can be redrawn.
 */
export function renderBars(view: ProgressView, columns: number, paint: Paint): string[] {
  const { state } = view.progress;
  const drawn = layouts.map((layout) => stepLines(view, columns, layout, paint));
  const fitting = drawn.find((lines) => lines.every((line) => cellsOf(line) <= columns)) ?? drawn.at(-1) ?? [];
  const trouble = cutTo(`  ${troubleOf(view.progress)}`, columns).trimEnd();
  const variants = variantsLine(view.progress);
  return [
    ...fitting,
    ...(variants === '' ? [] : [paint.faint(cutTo(`  variants ${variants}`, columns))]),
    state === 'preparing' && trouble === '' ? paint.faint('  asking for the segment …') : paint.bad(trouble),
  ];
}

function stepLines({ progress, rates }: ProgressView, columns: number, layout: Layout, paint: Paint): string[] {
  const whole = expectedAudience(progress);
  const names = progress.steps.map(({ step, action }) => `${step} ${oneLine(action)}`);
  const labels = progress.steps.some(({ receipts }) => receipts) ? [...names, receiptsName] : names;
  const nameWidth = Math.max(...labels.map(cellsOf));
  const countWidth = count(whole).length;
  const room = columns - nameWidth - 2 * countWidth - 39;
  const barWidth = Math.max(leastBarCells, Math.min(mostBarCells, room));
  const lineOf = ({ name, good, ended, of, tail }: Drawn) =>
    [
      `  ${padTo(name, nameWidth)} `,
      ...(layout.bar ? [bar({ good, ended }, of, barWidth, paint)] : []),
      percent(ended, of).padStart(5),
      ...(layout.whole ? [` ${count(ended).padStart(countWidth)} of ${count(of).padStart(countWidth)}`] : []),
      tail,
    ].join(' ');
  return progress.steps.flatMap((line, index) => {
    const ended = endedUsers(line);
    const rate = rates[index] ?? 0;
    const pace = layout.whole ? count(rate).padStart(8) : ` ${count(rate)}`;
    const tail = whole > 0 && ended === whole ? '   done' : `${pace}/s ${timeLeft(whole - ended, rate)}`;
    const step = { name: names[index] ?? '', good: line.succeeded, ended, of: whole, tail: paint.faint(tail) };
    return [lineOf(step), ...receiptsOf(line, paint).map(lineOf)];
  });
}

interface Drawn {
  name: string;
  good: number;
  ended: number;
  of: number;
  tail: string;
}

const receiptsName = '  receipts';

function receiptsOf({ receipts, succeeded }: StepLine, paint: Paint): Drawn[] {
  if (!receipts) return [];
  const { delivered, undelivered } = receipts;
  const lost = `   ${count(undelivered)} undelivered`;
  const tail = undelivered === 0 ? paint.faint('   none undelivered') : paint.bad(lost);
  return [{ name: receiptsName, good: delivered, ended: delivered + undelivered, of: succeeded, tail }];
}

/** Describes the oldest cause of a stall, or other notes while the run progresses. */
function troubleOf(progress: RunProgress): string {
  const { waits, stalled, waitingSince, notes } = progress;
  const stopped = stopOf(progress);
  if (stopped !== undefined) return stopped;
  const [first, ...others] = waits;
  if (!first) {
    const [note] = notes;
    if (stalled === null) return note === undefined ? '' : `note: ${oneLine(note)}`;
    return `waits: ${oneLine(stalled)}${waitingSince === null ? '' : `, since ${utcTimeOfDay(waitingSince)}`}`;
  }
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const { step, action, country, cause, by, since, batches, held, blockedBy, nextStep } = first;
  // Waits that end automatically need no advice.
  const advice = held || by === 'budget' || blockedBy === 'no-worker' ? `. ${oneLine(nextStep)}` : '';
  const isQuietInSameStep = (each: RunProgress['waits'][number]) =>
    each.blockedBy === 'quiet-hours' && each.step === step && each.country === country;
  const quiet = others.find(isQuietInSameStep);
  const beside = quiet ? `; beside it ${oneLine(quiet.cause)}` : '';
  const facts = `since ${utcTimeOfDay(since)}, ${count(batches)} ${batches === 1 ? 'batch' : 'batches'}`;
  const why = `${oneLine(cause)}${blockedBy === 'breaker' ? ' (breaker open)' : ''}`;
  return `waits: step ${step} ${oneLine(action)} in ${oneLine(country)}: ${why}, ${facts}${beside}${more}${advice}`;
}

function stopOf({ state, stateReason, stateSince, inFlight }: RunProgress): string | undefined {
  if (state !== 'pausing' && state !== 'paused' && state !== 'cancelling') return undefined;
  const why = stateReason === null ? '' : `: ${oneLine(stateReason)}`;
  const since = stateSince === null ? '' : `, since ${utcTimeOfDay(stateSince)}`;
  const calls = state === 'paused' ? '' : `, ${count(inFlight)} ${inFlight === 1 ? 'call' : 'calls'} under way`;
  return `${state}${why}${since}${calls}`;
}

function bar({ good, ended }: Pick<Drawn, 'good' | 'ended'>, whole: number, width: number, paint: Paint): string {
  // More receipts than accepted users may be counted, as an acceptance may not be recorded yet; the width is therefore
  // bounded.
  const cells = (users: number) => (whole === 0 ? 0 : Math.min(width, Math.round((users / whole) * width)));
  const full = cells(good);
  const lost = Math.max(0, cells(ended) - full);
  return paint.accent('█'.repeat(full)) + paint.bad('▓'.repeat(lost)) + paint.faint('░'.repeat(width - full - lost));
}

function timeLeft(users: number, rate: number): string {
  return rate > 0 ? `${duration(users / rate)} left` : '';
}

/** Renders one line for logs and pipes, which cannot be redrawn. */
export function renderProgressLine({ progress, rates, elapsedSeconds }: ProgressView): string {
  const whole = expectedAudience(progress);
  const steps = progress.steps.map((line, index) => {
    const ended = endedUsers(line);
    const { receipts } = line;
    const receiptText = receipts
      ? `, receipts ${count(receipts.delivered)} delivered ${count(receipts.undelivered)} undelivered`
      : '';
    return `${line.action} ${percent(ended, whole)} (${count(ended)}, ${count(rates[index] ?? 0)}/s${receiptText})`;
  });
  const trouble = troubleOf(progress);
  const variants = variantsLine(progress);
  return [
    clockTime(elapsedSeconds),
    progress.state,
    ...steps,
    ...(variants === '' ? [] : [variants]),
    ...(trouble === '' ? [] : [trouble]),
  ].join('  ');
}

export function endedUsers({ audience, pending }: StepLine): number {
  return audience - pending;
}

/**
 * Returns the best known size of the audience. If counting is complete, returns the count; otherwise the larger of the
 * count so far and the estimate without excluded users.
 */
export function expectedAudience({ audience }: RunProgress): number {
  return audience.complete
    ? audience.counted
    : Math.max(audience.counted, (audience.estimated ?? 0) - audience.excluded);
}
