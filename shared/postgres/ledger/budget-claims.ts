import type { Pool, PoolClient } from 'pg';
import { budgetCause, budgetWaitMs } from '../../domain/run/budgets.ts';
import type {
  BornChild,
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

/** A step whose budget does not suffice for the whole batch. */
export interface Shortage {
  country: string;
  /** The budget as a whole, for people: `1,000 units`, `5,000.00 EUR`. */
  budget: string;
  /** Users for whom it suffices. */
  fits: number;
}

/** By claim: what was not reserved. */
export type Shortages = ReadonlyMap<StepRef, Shortage>;

/** What became of the claims that cost units. */
export interface Reserved {
  shortages: Shortages;
  /** Claims whose budget another has locked just now. */
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

/**
 * In a transaction of its own: what is reserved for a step that is claimed later, or by another, is there for it then.
 */
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

/** `budget` is null where it was locked. */
type ReservationRow = Omit<Shortage, 'budget'> & { place: number; budget: string | null };

/** Claims, those to be put back because nothing is reserved for them, and those to be split alone. */
export interface CheckedClaims {
  claimed: ClaimedStep[];
  putBack: StepWaiting[];
}

/**
 * What is claimed is looked at once more: the worker that put the step back a moment ago took its reservation away in
 * the same transaction, and after that only we do.
 */
export async function checkReservations(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  shortages: Shortages,
  unitsPerUser: UnitsPerUser,
): Promise<CheckedClaims> {
  const asking = claimed.filter(costingIn(unitsPerUser));
  if (asking.length === 0) return { claimed: [...claimed], putBack: [] };
  const { rows } = await client.query<{ position: number }>(unreserved.with(keysOf(asking)));
  const without = new Set(rows.flatMap(({ position }) => asking[position - 1] ?? []));
  const shortageOf = new Map([...shortages].map(([step, shortage]) => [keyOf(step), shortage]));
  const kept = claimed.filter((claim) => !without.has(claim));
  const putBack: StepWaiting[] = [];
  const split: ClaimedStep[] = [];
  for (const claim of without) {
    const shortage = shortageOf.get(keyOf(claim));
    if (shortage && shortage.fits > 0) split.push({ ...claim, open: false, fits: shortage.fits });
    else putBack.push(waitingFor(claim, shortage));
  }
  if (split.length > 0) await client.query(noteNoCalls.with(keysOf(split)));
  return { claimed: [...kept, ...split], putBack };
}

/** Without a shortage, it was not due yet when reservations were made. */
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
 * With the results that are ours. What may have been applied keeps its units: in its row, in the totals, or in its
 * children.
 */
export async function settle(
  connection: Connection,
  results: readonly StepResult[],
  children: readonly BornChild[],
  unitsPerUser: UnitsPerUser,
): Promise<void> {
  const costs = costingIn(unitsPerUser);
  const settled = results.filter((result) => costs(result) && (result.state === 'done' || !result.open));
  const heirs = children.filter(({ child, result }) => costs(result) && (child.open || child.claim));
  if (settled.length + heirs.length === 0) return;
  const unitsOfChild = ({ child, result }: BornChild) => child.users.length * unitsOf(result, unitsPerUser);
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
