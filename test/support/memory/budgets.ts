import { budgetCause, budgetWaitMs, budgetWords } from '../../../shared/domain/run/budgets.ts';
import type {
  ChildBatch,
  ClaimedStep,
  StepRef,
  StepResult,
  StepWaiting,
  UnitsPerUser,
} from '../../../shared/ports/step-ledger.ts';
import type { BudgetFigures } from '../../../services/api/runs/budget-store.port.ts';
import type { BudgetShortage } from '../../../services/trigger/ports/run-store.ts';
import { batchKey, stepKey, type MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import type { BudgetRow } from './run-tables.ts';
import { lostBefore } from './lost-users.ts';

/** Budget that does not suffice for a step, and the cost and users of the step. */
export interface Shortage {
  country: string;
  /** Text of the budget for people. */
  budget: string;
  fits: number;
}

export interface BudgetSums {
  units: number;
  used: number;
  reserved: number;
  waiting: number;
}

/** Returns the units that a user costs in each step; null if the campaign has no budget in the country. */
export function stepUnitsOf({ budgets, campaigns }: MemoryDatabase, campaignId: string, country: string) {
  const chain = campaigns.get(campaignId)?.definition.chain ?? [];
  return budgets.has(`${campaignId}/${country}`) ? chain.map(({ unitsPerUser = 0 }) => unitsPerUser) : null;
}

export function sumsOf(database: MemoryDatabase, { campaignId, country, units, pastUnits }: BudgetRow): BudgetSums {
  const feeds = feedsOf(database, campaignId, country);
  const ids = new Set(feeds.map(({ feedId }) => feedId));
  const own = [...database.reservations.values()].filter(({ feedId }) => ids.has(feedId));
  const granted = own.filter((row) => row.granted);
  return {
    units,
    used: feeds.reduce((sum, feed) => sum + spentOf(database, feed), pastUnits),
    reserved: granted.reduce((sum, row) => sum + row.units, 0),
    waiting: own.length - granted.length,
  };
}

/** Returns the units of users who succeeded or may have succeeded. */
export function spentOf({ totals }: MemoryDatabase, { feedId, stepUnits }: FeedRow): number {
  const costs = stepUnits ?? [];
  return costs.reduce((sum, units, index) => {
    const row = totals.get(`${feedId}/${index + 1}`);
    return sum + units * ((row?.succeeded ?? 0) + (row?.unknown ?? 0));
  }, 0);
}

function feedsOf({ feeds, runs }: MemoryDatabase, campaignId: string, country: string): FeedRow[] {
  return [...feeds.values()].filter(
    (feed) => feed.country === country && feed.stepUnits !== null && runs.get(feed.runId)?.campaignId === campaignId,
  );
}

function budgetOf({ feeds, runs, budgets }: MemoryDatabase, feedId: string): BudgetRow | undefined {
  const feed = feeds.get(feedId);
  return feed && budgets.get(`${runs.get(feed.runId)?.campaignId ?? ''}/${feed.country}`);
}

export function isBudgetLocked(database: MemoryDatabase, feedId: string): boolean {
  return budgetOf(database, feedId)?.isLocked === true;
}

/**
 * Reserves whole batches for these claimable steps, the cheapest first. Returns the steps without a reservation by key.
 */
export function reserve(database: MemoryDatabase, claimable: readonly StepRef[], unitsPerUser: UnitsPerUser) {
  const { reservations } = database;
  const asking = claimable.flatMap((ref) => {
    const perUser = costOf(ref, unitsPerUser);
    const budget = budgetOf(database, ref.feedId);
    const key = stepKey(ref.feedId, ref.batchNo, ref.step);
    if (perUser === 0 || !budget || reservations.get(key)?.granted) return [];
    return [{ ref, key, perUser, budget, wanted: perUser * usersLeft(database, ref) }];
  });
  const shortages = new Map<string, Shortage>();
  for (const [budget, ofBudget] of Map.groupBy(asking, (each) => each.budget)) {
    const { used, reserved } = sumsOf(database, budget);
    let left = budget.units - used - reserved;
    let isRestTaken = false;
    for (const { ref, key, perUser, wanted } of ofBudget.toSorted((a, b) => a.wanted - b.wanted)) {
      const { feedId, batchNo, step } = ref;
      const granted = wanted <= left && !isRestTaken;
      reservations.set(key, { feedId, batchNo, step, units: wanted, granted });
      if (granted) left -= wanted;
      else {
        const fits: number = isRestTaken ? 0 : Math.max(0, Math.floor(left / perUser));
        isRestTaken ||= fits > 0;
        shortages.set(key, { country: budget.country, budget: wordsOf(budget.units), fits });
      }
    }
  }
  return shortages;
}

function usersLeft(database: MemoryDatabase, ref: StepRef): number {
  const users = database.batches.get(batchKey(ref.feedId, ref.batchNo))?.users ?? [];
  return users.length - lostBefore(database, ref).length;
}

export function costOf({ feedId, step }: StepRef, unitsPerUser: UnitsPerUser | undefined): number {
  return unitsPerUser?.get(feedId)?.[step - 1] ?? 0;
}

/**
 * Returns how a claim without a reservation is changed: it is released, or may only be split. Undefined if the step may
 * be called.
 */
export function unaffordable(
  { reservations, steps }: MemoryDatabase,
  claim: ClaimedStep,
  shortage: Shortage | undefined,
): StepWaiting | ClaimedStep | undefined {
  const { feedId, batchNo, step, epoch, open } = claim;
  const key = stepKey(feedId, batchNo, step);
  if (reservations.get(key)?.granted) return undefined;
  if (shortage && shortage.fits > 0) {
    const row = steps.get(key);
    if (row) Object.assign(row, { lapses: Math.max(row.lapses, 1), begun: false, open: false });
    return { ...claim, open: false, fits: shortage.fits };
  }
  const cause = shortage ? budgetCause(shortage.country, shortage.budget) : null;
  const delayMs = shortage ? budgetWaitMs : 0;
  return { feedId, batchNo, step, epoch, state: 'waiting', delayMs, open, answered: false, cause };
}

/**
 * Settles a reservation. Effects that may have been applied keep their units in the row, in the totals, or in child
 * batches.
 */
export function settleReservation({ reservations }: MemoryDatabase, result: StepResult): void {
  if (result.state === 'done' || !result.open) reservations.delete(stepKey(result.feedId, result.batchNo, result.step));
}

export function inheritReservation(
  { reservations }: MemoryDatabase,
  ref: StepRef,
  { users, open, claim }: ChildBatch,
  unitsPerUser: UnitsPerUser | undefined,
): void {
  const perUser = costOf(ref, unitsPerUser);
  if (perUser === 0 || !(open || claim)) return;
  const { feedId, batchNo, step } = ref;
  const units = perUser * users.length;
  reservations.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, units, granted: true });
}

export function shortagesOf(database: MemoryDatabase, runId: string): BudgetShortage[] {
  const { feeds, reservations, steps } = database;
  const waiting = [...reservations].filter(([key, row]) => !row.granted && steps.get(key)?.state === 'waiting');
  const own = waiting.flatMap(([, row]) => {
    const feed = feeds.get(row.feedId);
    return feed?.runId === runId ? [{ feed, perUser: feed.stepUnits?.[row.step - 1] ?? 0 }] : [];
  });
  return [...Map.groupBy(own, ({ feed }) => feed.country)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([country, rows]): BudgetShortage[] => {
      const budget = rows[0] && budgetOf(database, rows[0].feed.feedId);
      if (!budget) return [];
      const { units, used, reserved } = sumsOf(database, budget);
      const leastUnits = Math.min(...rows.map(({ perUser }) => perUser));
      const left = units - used - reserved;
      const [leftText, leastText] = [left.toLocaleString('en-US'), leastUnits.toLocaleString('en-US')];
      const texts = { budgetText: wordsOf(units), leftText, leastText };
      return [{ runId, country, left, batches: rows.length, leastUnits, ...texts }];
    });
}

/** In memory, all budgets are in units. */
function wordsOf(units: number): string {
  return budgetWords({ country: '', units });
}

/** Returns budgets as people see them, by country. */
export function displayedBudgets(database: MemoryDatabase, campaignId: string): BudgetFigures[] {
  return [...database.budgets.values()]
    .filter((row) => row.campaignId === campaignId)
    .map((row) => {
      const { waiting: waitingBatches, ...sums } = sumsOf(database, row);
      return { country: row.country, ...sums, money: null, waitingBatches };
    })
    .sort((a, b) => (a.country < b.country ? -1 : 1));
}
