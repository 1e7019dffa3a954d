import { Temporal } from 'temporal-polyfill';
import { zonesOfCountry } from '../recurrence/local-start.ts';
import { zoneSpans } from '../recurrence/zone-spans.ts';
import type { Shard } from '../endpoint/shard.ts';

/** Matches all action types in a rule. */
export const everyActionType = '*';

/** Hours in which an action type calls no users of a country, by local time. */
export interface QuietRule {
  readonly actionType: string;
  /** Countries of the rule; undefined means all countries. */
  readonly countries?: readonly string[] | undefined;
  /** Time of day such as `21:00`, inclusive. */
  readonly from: string;
  /** Time of day such as `08:00`, exclusive; on the next day if it is not after `from`. */
  readonly until: string;
  /** Time zone of the rule; if undefined, that of the country. */
  readonly zone?: string | undefined;
  /** Effect on users who would be called: they wait for the end, or are not called at all. */
  readonly then: 'wait' | 'drop';
}

export interface QuietNow {
  then: QuietRule['then'];
  /** End of the quiet hours, in milliseconds since 1970. */
  untilMs: number;
  cause: string;
}

const beginning = 'quiet hours: ';
const dayMs = 86_400_000;
/**
 * Search limit in milliseconds, because consecutive rules may never end. The step is examined again after this time.
 */
const farthestMs = 2 * dayMs;

export function isQuietCause(cause: string | null): boolean {
  return cause?.startsWith(beginning) ?? false;
}

/** Returns the first rule that applies to the shard and is in force; null if there is none. */
export function quietAt(rules: readonly QuietRule[], shard: Shard, nowMs: number): QuietNow | null {
  for (const rule of rules) {
    if (!isFor(rule, shard)) continue;
    const untilMs = endOf(rule, shard.country, nowMs);
    if (untilMs === null) continue;
    const { actionType, country } = shard;
    const cause = `${beginning}${actionType} calls nobody in ${country} from ${rule.from} to ${rule.until}`;
    return { then: rule.then, untilMs, cause };
  }
  return null;
}

function isFor({ actionType, countries }: QuietRule, shard: Shard): boolean {
  if (actionType !== everyActionType && actionType !== shard.actionType) return false;
  return countries?.includes(shard.country) ?? true;
}

/**
 * Returns the end of the quiet hours; null outside of quiet hours. Without a zone in the rule, a country with several
 * zones is quiet while any of them is.
 */
function endOf(rule: QuietRule, country: string, nowMs: number): number | null {
  const own = rule.zone === undefined ? zonesOfCountry(country) : [rule.zone];
  const zones = own.length === 0 ? ['UTC'] : own;
  let untilMs = nowMs;
  while (untilMs < nowMs + farthestMs) {
    const ends = zones.flatMap((zone) => endIn(rule, zone, untilMs) ?? []);
    if (ends.length === 0) break;
    untilMs = Math.max(...ends);
  }
  return untilMs === nowMs ? null : untilMs;
}

/**
 * Returns the first instant from `atMs` on at which the clocks show no quiet time; null if `atMs` is not in quiet time.
 * Clock changes count: a change may end quiet hours, or begin them once more.
 */
function endIn(rule: QuietRule, zone: string, atMs: number): number | null {
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  if (quietLeftMs(rule, atMs + offsetNanoseconds / 1e6) === 0) return null;
  for (const { startMs, endMs, offsetMs } of zoneSpans(zone, atMs)) {
    const leftMs = quietLeftMs(rule, startMs + offsetMs);
    if (leftMs === 0 || startMs + leftMs < endMs) return startMs + leftMs;
  }
  throw new Error(`the clocks of ${zone} never show ${rule.until}`);
}

/** Returns the milliseconds until quiet hours end on a clock without changes; 0 outside of quiet hours. */
function quietLeftMs({ from, until }: QuietRule, localMs: number): number {
  const ofDayMs = ((localMs % dayMs) + dayMs) % dayMs;
  const [fromMs, untilMs] = [msOf(from), msOf(until)];
  const isOver = fromMs < untilMs ? ofDayMs < fromMs || ofDayMs >= untilMs : ofDayMs >= untilMs && ofDayMs < fromMs;
  if (isOver) return 0;
  return untilMs - ofDayMs + (ofDayMs < untilMs ? 0 : dayMs);
}

function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}
