import { dueInstants, type Silence, type SkippedRange } from './due-instants.ts';
import type { RecurrencePolicies, SkipCause } from './policies.ts';
import { nextTimes, type Recurrence } from './recurrence.ts';

/** A group of the schedule as it is now. */
export interface PlannedGroup {
  name: string;
  /** Whose nodes fire for it at once; null: those of any region. */
  homeRegion: string | null;
  /** After so long, others do. */
  fallbackDelayMs: number;
  /** Its fire before is at work. */
  isRunning: boolean;
  /** A fire of it waits for the one at work. */
  isBuffered: boolean;
}

export interface PlanQuestion {
  recurrence: Recurrence;
  policies: RecurrencePolicies;
  highWaterMs: number;
  nowMs: number;
  silence: Silence | null;
  /** Who asks; null: a process that answers for all regions. */
  region: string | null;
  groups: readonly PlannedGroup[];
  /** What was fired, buffered or skipped for one group above the high-water mark: `decisionKey`. */
  decided: ReadonlySet<string>;
  maxInstants: number;
  /** Occurrences of one plan, at most; an instant is planned whole. */
  maxOccurrences: number;
}

export interface PlannedOccurrence {
  group: string;
  atMs: number;
}

export interface OccurrencePlan {
  fires: PlannedOccurrence[];
  buffered: PlannedOccurrence[];
  skipped: SkippedRange[];
  /** Skipped for one group. */
  skippedOfGroup: (PlannedOccurrence & { cause: SkipCause })[];
  /** Everything up to it, inclusive, is decided for all groups. */
  highWaterMs: number;
  /** The first fire that is not due yet, or was not looked at; null: there is none any more. */
  nextAtMs: number | null;
  /** When this region has to look again; null: never. */
  lookAtMs: number | null;
  /** Something is left to other regions for now. */
  waitsForOthers: boolean;
  /** Nothing is to come, its end has passed, and nothing is left to decide. */
  isOver: boolean;
}

/**
 * A late look is no misfire: fires are looked for several times a second, and a leader's place is taken within seconds.
 */
const graceMs = 5000;
/** What is skipped when it is late gets longer, so that a change of leader or a deployment loses nothing. */
const graceOfSkipMs = 60_000;

export function decisionKey(atMs: number, group: string): string {
  return `${atMs}/${group}`;
}

/**
 * What a region has to do about a schedule at this moment. Nothing is decided twice: what another region fired is in
 * `decided`, and what has to be left to another one holds the high-water mark down until it is fired, there or here.
 */
export function planOccurrences(question: PlanQuestion): OccurrencePlan {
  const { recurrence, policies, groups, nowMs } = question;
  const longestFallbackMs = Math.max(0, ...groups.map(({ fallbackDelayMs }) => fallbackDelayMs));
  const due = dueInstants({
    ...question,
    graceMs: (policies.misfire === 'skip' ? graceOfSkipMs : graceMs) + longestFallbackMs,
    begun: new Set([...question.decided].map((key) => Number.parseInt(key, 10))),
    maxFires: Math.max(1, Math.floor(question.maxOccurrences / Math.max(1, groups.length))),
  });
  const plan: OccurrencePlan = {
    fires: [],
    buffered: [],
    skipped: [],
    skippedOfGroup: [],
    highWaterMs: Math.max(question.highWaterMs, due.lastMs ?? -Infinity),
    nextAtMs: null,
    lookAtMs: null,
    waitsForOthers: false,
    isOver: false,
  };
  skipRanges(question, due.skipped, plan);
  const waits = decideFires(question, due.fires, plan);

  const next = nextTimes(recurrence, due.lastMs ?? question.highWaterMs);
  plan.nextAtMs = next.fireMs;
  const wakesAtMs = due.more ? nowMs : (next.lookMs ?? recurrence.untilMs);
  const looks = [wakesAtMs, waits.againAtMs].filter((atMs) => atMs !== null);
  plan.lookAtMs = looks.length === 0 ? null : Math.min(...looks);
  plan.waitsForOthers = waits.againAtMs !== null;
  plan.isOver = next.lookMs === null && !plan.waitsForOthers && (recurrence.untilMs ?? -Infinity) <= nowMs;
  return plan;
}

/**
 * Where another region has fired an instant that is too late by now, those that no region fired are skipped one by one.
 */
function skipRanges({ groups, decided }: PlanQuestion, ranges: readonly SkippedRange[], plan: OccurrencePlan): void {
  for (const range of ranges) {
    const { firstMs: atMs, cause } = range;
    const left = groups.filter(({ name }) => !decided.has(decisionKey(atMs, name)));
    if (left.length === groups.length || cause === 'clock-change') plan.skipped.push(range);
    else plan.skippedOfGroup.push(...left.map(({ name }) => ({ group: name, atMs, cause })));
  }
}

function decideFires(
  question: PlanQuestion,
  fires: readonly number[],
  plan: OccurrencePlan,
): { againAtMs: number | null } {
  const { policies, groups, decided, region, nowMs } = question;
  const running = new Set(groups.filter((group) => group.isRunning || group.isBuffered).map(({ name }) => name));
  const buffered = new Set(groups.filter(({ isBuffered }) => isBuffered).map(({ name }) => name));
  let againAtMs: number | null = null;

  for (const atMs of fires) {
    if (groups.length === 0) plan.skipped.push({ firstMs: atMs, lastMs: atMs, count: 1, cause: 'no-groups' });
    for (const { name: group, homeRegion, fallbackDelayMs } of groups) {
      if (decided.has(decisionKey(atMs, group))) continue;
      const oursAtMs = homeRegion === null || region === null || homeRegion === region ? atMs : atMs + fallbackDelayMs;
      if (oursAtMs > nowMs) {
        againAtMs = Math.min(againAtMs ?? Infinity, oursAtMs);
        plan.highWaterMs = Math.min(plan.highWaterMs, atMs - 1);
      } else if (policies.overlap === 'allow' || !running.has(group)) {
        plan.fires.push({ group, atMs });
        running.add(group);
      } else if (policies.overlap === 'buffer-one' && !buffered.has(group)) {
        plan.buffered.push({ group, atMs });
        buffered.add(group);
      } else plan.skippedOfGroup.push({ group, atMs, cause: 'overlap' });
    }
  }
  return { againAtMs };
}
