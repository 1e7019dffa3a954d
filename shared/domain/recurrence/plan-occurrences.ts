import { dueInstants, type Silence, type SkippedRange } from './due-instants.ts';
import type { RecurrencePolicies, SkipCause } from './policies.ts';
import { nextTimes, type Recurrence } from './recurrence.ts';

export interface PlannedGroup {
  name: string;
  /** Region whose nodes fire for the group at once; null: nodes of any region. */
  homeRegion: string | null;
  /** Milliseconds after which nodes of other regions fire for the group. */
  fallbackDelayMs: number;
  isRunning: boolean;
  /** True if a fire of the group waits until the running fire has ended. */
  isBuffered: boolean;
}

export interface PlanQuestion {
  recurrence: Recurrence;
  policies: RecurrencePolicies;
  highWaterMs: number;
  nowMs: number;
  silence: Silence | null;
  /** Region that plans; null: a process that plans for all regions. */
  region: string | null;
  groups: readonly PlannedGroup[];
  /** Keys (`decisionKey`) of instants above the high-water mark that were fired, buffered or skipped for one group. */
  decided: ReadonlySet<string>;
  maxInstants: number;
  /**
   * Maximum number of occurrences in a plan. All groups that are due at one time are planned together, so a plan has
   * more occurrences if there are more groups than this.
   */
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
  skippedOfGroup: (PlannedOccurrence & { cause: SkipCause })[];
  /** Time up to which, inclusive, everything is decided for all groups. */
  highWaterMs: number;
  /** The first fire that is not due yet or was not examined; null if there is none. */
  nextAtMs: number | null;
  /** Time at which this region must plan again; null: never. */
  nextCheckAtMs: number | null;
  waitsForOthers: boolean;
  /** True if the end of the schedule has passed and nothing is left to decide. */
  isOver: boolean;
}

/**
 * Grace period in milliseconds. A short delay is no misfire: schedulers look for fires several times a second, and a
 * new leader takes over within seconds.
 */
const graceMs = 5000;
/** Grace period of the policy `skip`. It is longer, so that a change of leader or a deployment loses no fire. */
const graceOfSkipMs = 60_000;

export function decisionKey(atMs: number, group: string): string {
  return `${atMs}/${group}`;
}

/**
 * Returns the plan of a region for a schedule at this moment. Nothing is decided twice: `decided` contains the fires of
 * other regions. An occurrence that is left to another region keeps the high-water mark below it until either region
 * has fired it.
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
    nextCheckAtMs: null,
    waitsForOthers: false,
    isOver: false,
  };
  skipRanges(question, due.skipped, plan);
  const waits = decideFires(question, due.fires, plan);

  const next = nextTimes(recurrence, due.lastMs ?? question.highWaterMs);
  plan.nextAtMs = next.fireMs;
  const wakesAtMs = due.more ? nowMs : (next.checkMs ?? recurrence.untilMs);
  const checks = [wakesAtMs, waits.againAtMs].filter((atMs) => atMs !== null);
  plan.nextCheckAtMs = checks.length === 0 ? null : Math.min(...checks);
  plan.waitsForOthers = waits.againAtMs !== null;
  plan.isOver = next.checkMs === null && !plan.waitsForOthers && (recurrence.untilMs ?? -Infinity) <= nowMs;
  return plan;
}

/**
 * Skips ranges. If another region has fired an instant that is too late by now, the groups that no region fired are
 * skipped one by one.
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
