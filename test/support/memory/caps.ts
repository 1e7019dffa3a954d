import { firstInstantOf } from '../../../shared/domain/recurrence/local-start.ts';
import { zonesOfDays, type CappedUser } from '../../../shared/domain/step/caps.ts';
import type { CreatedChild, ClaimedStep, LedgerFlush, StepRef, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { CapRow } from './cap-tables.ts';
import { lostBefore } from './lost-users.ts';
import { batchKey, stepKey, type MemoryDatabase } from './memory-database.ts';

type Terms = Pick<LedgerFlush, 'actionTypeOf' | 'countryOf'>;

export function hasCap({ caps }: MemoryDatabase, actionType = ''): boolean {
  return caps.some(({ actionTypes }) => actionTypes.includes(actionType));
}

/** Returns the caps that limit a step; none for tests and dry runs. */
function capsOf(database: MemoryDatabase, { feedId }: StepRef, actionType: string) {
  const feed = database.feeds.get(feedId);
  const run = feed && database.runs.get(feed.runId);
  if (!run || (run.kind ?? 'live') !== 'live') return null;
  const { country } = feed;
  const { campaignId } = run;
  const caps = database.caps.filter(
    (cap) =>
      cap.actionTypes.includes(actionType) &&
      (cap.countries?.includes(country) ?? true) &&
      cap.exempt?.includes(campaignId) !== true,
  );
  return caps.length === 0 ? null : { country, campaignId, caps };
}

/** Reserves effects for these claimable steps. Returns the users that have reached a cap, by key of the step. */
export function reserveEffects(
  database: MemoryDatabase,
  claimable: readonly StepRef[],
  { actionTypeOf, countryOf }: Terms,
): Map<string, CappedUser[]> {
  const { batches, steps, effects, clock } = database;
  const atCaps = new Map<string, CappedUser[]>();
  for (const ref of claimable) {
    const { feedId, batchNo, step } = ref;
    const actionType = actionTypeOf?.(ref) ?? '';
    const limits = capsOf(database, ref, actionType);
    if (!limits) continue;
    const { country, campaignId, caps } = limits;
    const key = stepKey(feedId, batchNo, step);
    const row = steps.get(key);
    const lost = new Set(lostBefore(database, ref));
    let users = (batches.get(batchKey(feedId, batchNo))?.users ?? []).filter((user) => !lost.has(user));
    if (row && (row.open || (row.state === 'running' && (row.lapses === 0 || row.begun)))) {
      // Only the same users settle a call that may have been made.
      users = [...(effects.get(key)?.users ?? users)];
    } else {
      const zones = zonesOfDays(countryOf?.(feedId));
      const capped = cappedAmong(database, users, caps, { key, country, zones });
      users = users.filter((user) => !capped.some((each) => each.user === user));
      atCaps.set(key, capped);
    }
    effects.set(key, { feedId, batchNo, step, actionType, country, campaignId, atMs: clock.nowMs(), users });
  }
  return atCaps;
}

function cappedAmong(
  { effects, clock }: MemoryDatabase,
  users: readonly string[],
  caps: readonly CapRow[],
  { key, country, zones }: { key: string; country: string; zones: readonly string[] },
): CappedUser[] {
  const counted = caps
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((cap) => {
      const sinceMs = Math.max(cap.countsFrom.getTime(), beginningOf(cap, zones, clock.nowMs()));
      const rows = [...effects].flatMap(([of, row]) => {
        const counts =
          of !== key &&
          row.country === country &&
          row.atMs > sinceMs &&
          cap.actionTypes.includes(row.actionType) &&
          cap.exempt?.includes(row.campaignId) !== true;
        return counts ? [row] : [];
      });
      return { cap, rows };
    });
  return users.flatMap((user) => {
    for (const { cap, rows } of counted) {
      const had = rows.filter((row) => row.users.includes(user)).length;
      const { name, effects: limit, days } = cap;
      if (had >= limit) return [{ user, cap: name, had, effects: limit, days }];
    }
    return [];
  });
}

const dayMs = 86_400_000;

function beginningOf({ counting, days }: CapRow, zones: readonly string[], nowMs: number): number {
  if (counting === 'rolling') return nowMs - days * dayMs;
  return Math.min(...zones.map((zone) => firstInstantOf(zone, localDayMs(zone, nowMs) - (days - 1) * dayMs)));
}

/** Returns the midnight of the date in a zone, as milliseconds since 1970-01-01T00:00 on its clocks. */
function localDayMs(zone: string, nowMs: number): number {
  return Date.parse(new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(nowMs));
}

export function attachCapped(claim: ClaimedStep, capped: readonly CappedUser[] | undefined): ClaimedStep {
  return claim.fits === undefined && capped && capped.length > 0 ? { ...claim, capped } : claim;
}

/**
 * Settles the effects of a recorded step. Children that continue at once, or are open, take over those of their users.
 */
export function settleEffects(
  { effects }: MemoryDatabase,
  result: StepResult,
  created: readonly Pick<CreatedChild, 'child' | 'batchNo'>[],
): void {
  const { feedId, batchNo, step } = result;
  const key = stepKey(feedId, batchNo, step);
  const row = effects.get(key);
  if (!row || (result.state === 'waiting' && result.open)) return;
  effects.delete(key);
  if (result.state === 'waiting') return;
  for (const { child, batchNo: childNo } of created) {
    if (!child.open && !child.claim) continue;
    effects.set(stepKey(feedId, childNo, step), { ...row, batchNo: childNo, users: child.users });
  }
  const unserved = new Set(result.failures.flatMap(({ user, outcome }) => (outcome === 'unknown' ? [] : [user])));
  for (const child of result.children) for (const user of child.users) unserved.add(user);
  const unknown = new Set(result.failures.flatMap(({ user, outcome }) => (outcome === 'unknown' ? [user] : [])));
  const keeps = (user: string) => (result.rest === 'succeeded' ? !unserved.has(user) : unknown.has(user));
  const users = row.users.filter(keeps);
  if (users.length > 0) effects.set(key, { ...row, users });
}
