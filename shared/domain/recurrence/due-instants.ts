import type { RecurrencePolicies, SkipCause } from './policies.ts';
import { instantsFrom, type Recurrence } from './recurrence.ts';

/** Instants that do not fire for any group: a single one, or all from the first to the last. */
export interface SkippedRange {
  firstMs: number;
  lastMs: number;
  count: number;
  cause: SkipCause;
}

export interface DueInstants {
  /** Skipped ranges. They precede all fires, except the ranges of clock changes and of the fire-once policy. */
  skipped: SkippedRange[];
  /** Ascending. */
  fires: number[];
  /** The last processed instant; null if none was due. */
  lastMs: number | null;
  more: boolean;
}

export interface DueQuestion {
  recurrence: Recurrence;
  policies: RecurrencePolicies;
  /** Last instant that an earlier pass has processed. Only later instants are due. */
  highWaterMs: number;
  nowMs: number;
  /** Period in which nothing fires, up to `untilMs` inclusive, and its cause. */
  silence: Silence | null;
  /** An instant counts as missed if it is older than this. */
  graceMs: number;
  /** Maximum number of instants examined at once: years of minutes must not delay other schedules. */
  maxInstants: number;
  maxFires: number;
  /** Instants for which some groups have been decided: they never share a range with others. */
  begun: ReadonlySet<number>;
}

export interface Silence {
  untilMs: number;
  cause: SkipCause;
}

export function dueInstants(question: DueQuestion): DueInstants {
  const { instants, leaps, more } = collect(question);
  const judged = judge(question, instants, more);

  const kept = cutAfterFires(judged, question.maxFires);
  const lastMs = kept.at(-1)?.atMs ?? null;
  const handledLeaps = leaps.filter(({ firstMs }) => kept.length === judged.length || firstMs <= (lastMs ?? 0));
  return {
    skipped: [...handledLeaps, ...rangesOf(kept, question.begun)],
    fires: kept.filter(({ cause }) => cause === null).map(({ atMs }) => atMs),
    lastMs,
    more: more || kept.length < judged.length,
  };
}

function collect({ recurrence, highWaterMs, nowMs, maxInstants }: DueQuestion) {
  const instants: DueInstant[] = [];
  const leaps: SkippedRange[] = [];
  const untilMs = Math.min(recurrence.untilMs ?? Infinity, nowMs);
  for (const instant of instantsFrom({ ...recurrence, untilMs }, highWaterMs + 1)) {
    const { atMs } = instant;
    if (instant.kind === 'skipped') {
      leaps.push({ firstMs: atMs, lastMs: atMs, count: instant.count, cause: 'clock-change' });
      continue;
    }
    if (instants.length === maxInstants) return { instants, leaps, more: true };
    instants.push({ atMs, isDayOff: instant.kind === 'day-off' });
  }
  return { instants, leaps, more: false };
}

interface DueInstant {
  atMs: number;
  isDayOff: boolean;
}

interface JudgedInstant {
  atMs: number;
  cause: SkipCause | null;
}

function judge(question: DueQuestion, instants: readonly DueInstant[], more: boolean): JudgedInstant[] {
  const { policies, nowMs, graceMs } = question;
  const judged = instants.map((each) => ({ atMs: each.atMs, cause: causeOf(question, each) }));
  if (policies.misfire !== 'fire-once') return judged;

  const newest = more ? undefined : judged.findLast(({ cause }) => cause === null);
  return judged.map((each) => {
    const isFolded = each.cause === null && each !== newest && nowMs - each.atMs > graceMs;
    return isFolded ? { ...each, cause: 'misfire' } : each;
  });
}

function causeOf({ policies, nowMs, silence, graceMs }: DueQuestion, { atMs, isDayOff }: DueInstant): SkipCause | null {
  if (silence && atMs <= silence.untilMs) return silence.cause;
  if (isDayOff) return 'day-off';
  const lateMs = nowMs - atMs;
  if (lateMs <= graceMs) return null;
  if (policies.misfire === 'skip') return 'misfire';
  return lateMs > policies.catchUpMs ? 'too-late' : null;
}

function cutAfterFires(judged: readonly JudgedInstant[], maxFires: number): readonly JudgedInstant[] {
  let fires = 0;
  const end = judged.findIndex(({ cause }) => cause === null && ++fires > maxFires);
  return end < 0 ? judged : judged.slice(0, end);
}

/** Merges neighbours with the same cause: there may be a million of them. */
function rangesOf(judged: readonly JudgedInstant[], begun: ReadonlySet<number>): SkippedRange[] {
  const ranges: SkippedRange[] = [];
  let open: SkippedRange | undefined;
  for (const { atMs, cause } of judged) {
    if (cause === null) {
      open = undefined;
    } else if (open?.cause === cause && !begun.has(atMs)) {
      open.lastMs = atMs;
      open.count++;
    } else {
      const range = { firstMs: atMs, lastMs: atMs, count: 1, cause };
      ranges.push(range);
      open = begun.has(atMs) ? undefined : range;
    }
  }
  return ranges;
}
