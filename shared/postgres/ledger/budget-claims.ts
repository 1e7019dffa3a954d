import type { Pool, PoolClient } from 'pg';
import { budgetCause, budgetWaitMs } from '../../domain/run/budgets.ts';
import type {
  CreatedChild,
  ClaimedStep,
  LedgerFlush,
  StepRef,
  StepResult,
  StepWaiting,
  UnitsPerUser,
} from '../../ports/step-ledger.ts';
import { plainArray } from '../connection/array-literals.ts';
import { noteNoCalls, reserveBudgets, settleReservations, unreserved } from './budget-statements.ts';
import { keysOf, type Connection } from './step-writes.ts';

export interface Shortage {
  country: string;
  /** The whole budget, formatted for display: `1,000 units`, `5,000.00 EUR`. */
  budget: string;
  /** Number of users that the budget covers. */
  fits: number;
}

export type Shortages = ReadonlyMap<StepRef, Shortage>;

export interface Reserved {
  shortages: Shortages;
  /** Claims whose budget another transaction has locked. */
  busy: ReadonlySet<StepRef>;
}

export function touchesBudgets({ results, claims, unitsPerUser }: LedgerFlush): boolean {
  if (!unitsPerUser || unitsPerUser.size === 0) return false;
  const costs = costingIn(unitsPerUser);
  return results.some(costs) || claims.some(costs);
}

function costingIn(unitsPerUser: UnitsPerUser): (step: StepRef) => boolean {
  return (step) => unitsOf(step, unitsPerUser) > 0;
}

function unitsOf({ feedId, step }: StepRef, unitsPerUser: UnitsPerUser): number {
  return unitsPerUser.get(feedId)?.[step - 1] ?? 0;
}

/** Reserves units in a transaction of its own, so that a later claim, or one by another worker, finds them. */
export async function reserve(pool: Pool, claims: readonly StepRef[], unitsPerUser: UnitsPerUser): Promise<Reserved> {
  const shortages = new Map<StepRef, Shortage>();
  const busy = new Set<StepRef>();
  const asking = claims.filter(costingIn(unitsPerUser));
  if (asking.length === 0) return { shortages, busy };
  const { rows } = await pool.query<ReservationRow>(reserveBudgets.with(keysOf(asking)));
  for (const { place, country, budget, fits } of rows) {
    const step = asking[place - 1];
    if (step && budget === null) busy.add(step);
    else if (step && budget !== null) shortages.set(step, { country, budget, fits });
  }
  return { shortages, busy };
}

/** `budget` is null if the budget was locked. */
type ReservationRow = Omit<Shortage, 'budget'> & { place: number; budget: string | null };

/** Claims that continue, some of them only to be split, and steps to release because they have no reservation. */
export interface CheckedClaims {
  claimed: ClaimedStep[];
  released: StepWaiting[];
}

/**
 * Checks the reservations of claimed steps again: a worker that released the step a moment ago deleted its reservation
 * in the same transaction. From here on, only this worker can delete the reservation.
 */
export async function checkReservations(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  shortages: Shortages,
  unitsPerUser: UnitsPerUser,
): Promise<CheckedClaims> {
  const asking = claimed.filter(costingIn(unitsPerUser));
  if (asking.length === 0) return { claimed: [...claimed], released: [] };
  const { rows } = await client.query<{ position: number }>(unreserved.with(keysOf(asking)));
  const without = new Set(rows.flatMap(({ position }) => asking[position - 1] ?? []));
  const shortageOf = new Map([...shortages].map(([step, shortage]) => [keyOf(step), shortage]));
  const kept = claimed.filter((claim) => !without.has(claim));
  const released: StepWaiting[] = [];
  const split: ClaimedStep[] = [];
  for (const claim of without) {
    const shortage = shortageOf.get(keyOf(claim));
    if (shortage && shortage.fits > 0) split.push({ ...claim, open: false, fits: shortage.fits });
    else released.push(waitingFor(claim, shortage));
  }
  if (split.length > 0) await client.query(noteNoCalls.with(keysOf(split)));
  return { claimed: [...kept, ...split], released };
}

/** Builds the result that releases a claim. Without a shortage, the step was not due when units were reserved. */
export function waitingFor(
  { feedId, batchNo, step, epoch, open }: ClaimedStep,
  shortage: Pick<Shortage, 'country' | 'budget'> | undefined,
): StepWaiting {
  return {
    feedId,
    batchNo,
    step,
    epoch,
    state: 'waiting',
    open,
    answered: false,
    delayMs: shortage ? budgetWaitMs : 0,
    cause: shortage ? budgetCause(shortage.country, shortage.budget) : null,
  };
}

/**
 * Settles reservations together with recorded results. Units that may have been applied stay accounted for: in the
 * step's row, in the totals, or in its children.
 */
export async function settle(
  connection: Connection,
  results: readonly StepResult[],
  children: readonly CreatedChild[],
  unitsPerUser: UnitsPerUser,
): Promise<void> {
  const costs = costingIn(unitsPerUser);
  const settled = results.filter((result) => costs(result) && (result.state === 'done' || !result.open));
  const heirs = children.filter(({ child, result }) => costs(result) && (child.open || child.claim));
  if (settled.length + heirs.length === 0) return;
  const unitsOfChild = ({ child, result }: CreatedChild) => child.users.length * unitsOf(result, unitsPerUser);
  await connection.query(
    settleReservations.with({
      ...keysOf(settled),
      childFeeds: plainArray(heirs.map(({ result }) => result.feedId)),
      childNos: plainArray(heirs.map(({ batchNo }) => batchNo)),
      childSteps: plainArray(heirs.map(({ result }) => result.step)),
      childUnits: plainArray(heirs.map(unitsOfChild)),
    }),
  );
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return `${feedId}/${batchNo}/${step}`;
}
