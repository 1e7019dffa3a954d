import pg, { type Pool, type PoolClient } from 'pg';
import type {
  CreatedChild,
  ClaimedChildren,
  ClaimedStep,
  LedgerFlush,
  LedgerFlushed,
  StepClaim,
  StepDone,
  StepLedger,
  StepResult,
  StepRef,
  StepWaiting,
  TimedStep,
} from '../../ports/step-ledger.ts';
import {
  checkReservations,
  reserve,
  settle,
  touchesBudgets,
  type CheckedClaims,
  type Reserved,
} from './budget-claims.ts';
import { noteChecked } from './checks.ts';
import { isTimed } from '../../domain/step/timed-steps.ts';
import { createChildNumbers, type ChildNumbers } from './child-numbers.ts';
import { halvesOf, sortedFlush } from './flush-order.ts';
import {
  insertChildren,
  lostBefore,
  noteAttempts,
  noteBegins,
  releaseSteps,
  recordAndClaim,
  writtenBefore,
  type ClaimTerms,
} from './step-writes.ts';
import {
  attachCapped,
  noEffects,
  reserve as reserveEffects,
  settle as settleEffects,
  type ReservedEffects,
} from './effect-claims.ts';
import {
  addSuppressed,
  createClaimRules,
  suppressedUsersIn,
  attachSuppressed,
  type ClaimRules,
} from './suppressions.ts';
import { inTransaction, retryingDeadlocks } from '../connection/transaction.ts';

export interface StepLedgerDeps {
  /** Pool from `createHotPathPool`. */
  pool: Pool;
  /** Worker name stored in claimed rows, for people to read. */
  owner: string;
  /** Slot of a feed's totals, from 0. Workers may share a slot, but then wait for each other's rows. */
  slot: number;
  leaseMs: number;
}

interface FlushDeps {
  pool: Pool;
  rules: ClaimRules;
  terms: ClaimTerms;
  childNumbers: ChildNumbers;
}

export function createStepLedger({ pool, ...terms }: StepLedgerDeps): StepLedger {
  const rules = createClaimRules();
  const deps: FlushDeps = { pool, terms, rules, childNumbers: createChildNumbers({ pool }) };

  /** Flushes all or nothing, except that a flush with unwritable data is halved until the bad entry is alone. */
  async function flush(wanted: LedgerFlush): Promise<LedgerFlushed> {
    try {
      return await retryingDeadlocks(() => flushKnowingRules(wanted, deps));
    } catch (error) {
      if (!isFaultOfTheData(error)) throw error;
      const [only, ...others] = [...wanted.results, ...wanted.claims, ...wanted.begins];
      if (only && others.length === 0) return { ...nothingFlushed(), refused: [{ step: only, error }] };
      const [left, right] = halvesOf(wanted);
      return joined(await flush(left), await flush(right));
    }
  }

  return {
    flush: async (wanted) => {
      const sorted = sortedFlush(wanted);
      if (sorted.results.length + sorted.claims.length + sorted.begins.length === 0) return nothingFlushed();
      const flushed = await flush(sorted);
      return flushed.recorded.length + flushed.refused.length < sorted.results.length
        ? withWrittenBefore(pool, sorted.results, flushed)
        : flushed;
    },
    lostUsers: (refs) => (refs.length === 0 ? Promise.resolve([]) : lostBefore(pool, refs)),
  };
}

/** Flushes, and repeats the claims if suppression lists or caps have changed, because then no step was claimed. */
async function flushKnowingRules(wanted: LedgerFlush, deps: FlushDeps): Promise<LedgerFlushed> {
  const { otherRules, ...flushed } = await flushOnce(wanted, deps);
  if (otherRules === null) return flushed;
  deps.rules.follow(otherRules);
  const claims = wanted.claims.filter((claim) => !flushed.busy.includes(claim));
  if (claims.length === 0) return flushed;
  const rest = { ...wanted, results: [], begins: [], claims, handOn: undefined };
  return joined({ ...flushed, contradicted: [] }, await flushKnowingRules(rest, deps));
}

/**
 * Flushes in one statement, unless steps are released, split, begun again, cost units, or have a suppression list, a
 * cap or a check. These cases are rare, and would make the statement more expensive for all flushes.
 */
async function flushOnce(wanted: LedgerFlush, deps: FlushDeps): Promise<LedgerFlushed & { otherRules: string | null }> {
  const { pool, terms, childNumbers, rules } = deps;
  const { results, claims, begins, timedWithinMs, actionTypeOf = noActionType, checked = never } = wanted;
  const done = results.filter((result): result is StepDone => result.state === 'done');
  const waiting = results.filter((result): result is StepWaiting => result.state === 'waiting');
  const split = done.filter((result) => result.children.length > 0);
  const unitsPerUser = touchesBudgets(wanted) ? wanted.unitsPerUser : undefined;
  const handOn = rules.names === '' ? wanted.handOn : withoutRules(wanted, rules);
  const isCapped = (step: StepRef) => rules.hasCap(actionTypeOf(step));
  const isPlain =
    waiting.length + split.length + begins.length === 0 &&
    !done.some((result) => suppressedUsersIn(result) > 0 || (isCapped(result) && hasUnserved(result)));
  const needsLookup = (claim: StepRef) => isCapped(claim) || rules.hasList(actionTypeOf(claim)) || checked(claim);
  if (isPlain && !unitsPerUser && !claims.some(needsLookup)) {
    const known = { done, claims, handOn, rules: rules.names };
    return { ...nothingFlushed(), ...(await recordAndClaim(pool, known, terms)) };
  }
  // Reserve first and in separate transactions: all workers share budgets and caps, and no other lock is held yet.
  const units = unitsPerUser ? await reserve(pool, claims, unitsPerUser) : nothingReserved;
  const affordable = without(claims, units.busy);
  const capped = affordable.filter(isCapped);
  const effects = capped.length === 0 ? noEffects : await reserveEffects(pool, capped, wanted);
  const free = without(affordable, effects.busy);
  const numbers = split.length === 0 ? new Map<StepDone, number[]>() : await childNumbers.take(split);
  return inTransaction(pool, async (client) => {
    const put = waiting.length === 0 ? [] : await releaseSteps(client, waiting, terms, timedWithinMs);
    const begun = begins.length === 0 ? [] : await noteBegins(client, begins);
    const known = { done, claims: free, handOn, rules: rules.names };
    const { recorded, claimed, ...rest } = await recordAndClaim(client, known, terms);
    const created = numberedChildren(recorded, numbers);
    const children = await createChildren(client, created, terms, timedWithinMs);
    await addSuppressed(client, recorded, terms);
    await noteAttempts(client, [...recorded, ...put]);
    const results = [...recorded, ...put];
    if (unitsPerUser) await settle(client, results, created, unitsPerUser);
    const ours = await reservedOf(client, claimed, { units, effects }, wanted, terms);
    const settled = [...results, ...ours.released].filter(isCapped);
    if (settled.length > 0) await settleEffects(client, settled, created);
    const suppressed = await attachSuppressed(client, ours.claimed, actionTypeOf, rules);
    const timed = timedOf(put, created, timedWithinMs);
    const busy = [...units.busy, ...effects.busy];
    const kept = await noteChecked(client, suppressed, checked);
    return { ...rest, recorded: results, claimed: kept, busy, children, created, timed, begun, refused: [] };
  });
}

function without(claims: readonly StepClaim[], busy: ReadonlySet<StepRef>): readonly StepClaim[] {
  return busy.size === 0 ? claims : claims.filter((claim) => !busy.has(claim));
}

/** Returns true if a user of a finished step was not served, so that its effect no longer counts. */
function hasUnserved({ rest, failures }: StepDone): boolean {
  return rest !== 'succeeded' || failures.some(({ outcome }) => outcome !== 'unknown');
}

const noActionType = () => undefined;
const never = () => false;

/**
 * Removes results whose next step has a suppression list or a cap, because they are checked only when a step is claimed
 * by itself.
 */
function withoutRules({ handOn, actionTypeOf = noActionType }: LedgerFlush, rules: ClaimRules) {
  const goesOn = (result: StepResult) => {
    const type = actionTypeOf({ ...result, step: result.step + 1 });
    return !rules.hasList(type) && !rules.hasCap(type);
  };
  return handOn && new Set([...handOn].filter(goesOn));
}

const nothingReserved: Reserved = { shortages: new Map(), busy: new Set() };

/** Returns the claims with their reservations; releases the others before the caller sees them. */
async function reservedOf(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  { units, effects }: { units: Reserved; effects: ReservedEffects },
  { unitsPerUser = new Map() }: LedgerFlush,
  terms: ClaimTerms,
): Promise<CheckedClaims> {
  const paid = await checkReservations(client, claimed, units.shortages, unitsPerUser);
  const allowed = await attachCapped(client, paid.claimed, effects, terms);
  const released = [...paid.released, ...allowed.released];
  if (released.length > 0) await releaseSteps(client, released, terms);
  return { claimed: allowed.claimed, released };
}

/** Numbers the children of recorded results only: results of a step that was taken over have no children. */
function numberedChildren(
  recorded: readonly StepDone[],
  numbers: ReadonlyMap<StepDone, readonly number[]>,
): CreatedChild[] {
  return recorded.flatMap((result) =>
    result.children.map((child, index) => {
      const batchNo = numbers.get(result)?.[index];
      if (batchNo === undefined) throw new Error(`cannot number a child batch: there is no feed ${result.feedId}`);
      return { result, child, batchNo };
    }),
  );
}

async function createChildren(
  client: PoolClient,
  children: readonly CreatedChild[],
  terms: ClaimTerms,
  timedWithinMs: number | undefined,
): Promise<ClaimedChildren[]> {
  if (children.length === 0) return [];
  const claimed = await insertChildren(client, children, terms, timedWithinMs);
  return [...Map.groupBy(claimed, ({ result }) => result)].map(([result, ofResult]) => ({
    result,
    claims: ofResult.map(({ claim }) => claim),
  }));
}

function timedOf(
  put: readonly StepWaiting[],
  created: readonly CreatedChild[],
  timedWithinMs: number | undefined,
): TimedStep[] {
  const waiting = put.filter((result) => isTimed(result, timedWithinMs));
  const children = created.filter(({ child }) => !child.claim && isTimed(child, timedWithinMs));
  return [
    ...waiting.map((result): TimedStep => {
      const { feedId, batchNo, step, delayMs } = result;
      return { feedId, batchNo, step, result, dueInMs: delayMs, users: null };
    }),
    ...children.map(({ result, child, batchNo }): TimedStep => {
      const { feedId, step } = result;
      return { feedId, batchNo, step, result, dueInMs: child.delayMs, users: child.users.length };
    }),
  ];
}

/** Adds results that the flush rejected because an earlier flush, whose answer was lost, had already written them. */
async function withWrittenBefore(
  pool: Pool,
  results: readonly StepResult[],
  flushed: LedgerFlushed,
): Promise<LedgerFlushed> {
  const answered = new Set<StepResult | StepRef>([...flushed.recorded, ...flushed.refused.map(({ step }) => step)]);
  const before = await writtenBefore(
    pool,
    results.filter((result) => !answered.has(result)),
  );
  return { ...flushed, recorded: [...flushed.recorded, ...before] };
}

function nothingFlushed(): LedgerFlushed {
  const nothing = { recorded: [], claimed: [], busy: [], contradicted: [], handedOn: [] };
  return { ...nothing, children: [], created: [], timed: [], begun: [], refused: [] };
}

function joined(left: LedgerFlushed, right: LedgerFlushed): LedgerFlushed {
  return {
    recorded: [...left.recorded, ...right.recorded],
    claimed: [...left.claimed, ...right.claimed],
    busy: [...left.busy, ...right.busy],
    contradicted: [...left.contradicted, ...right.contradicted],
    handedOn: [...left.handedOn, ...right.handedOn],
    children: [...left.children, ...right.children],
    created: [...left.created, ...right.created],
    timed: [...left.timed, ...right.timed],
    begun: [...left.begun, ...right.begun],
    refused: [...left.refused, ...right.refused],
  };
}

/** Returns true if a retry would fail again, by the SQLSTATE class: values (22), constraints (23), limits (54). */
function isFaultOfTheData(error: unknown): error is Error {
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code ?? '');
}
