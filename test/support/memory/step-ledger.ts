import { firstChildBatchNo, isChildBatch } from '../../../shared/domain/step/batch.ts';
import { hasSurvivors } from '../../../shared/domain/step/survivors.ts';
import { agendaGraceMs, isTimed } from '../../../shared/domain/step/timed-steps.ts';
import { isListed } from '../../../shared/domain/step/suppressions.ts';
import type {
  CreatedChild,
  ChildBatch,
  ClaimedStep,
  LedgerFlush,
  LedgerFlushed,
  StepBegin,
  StepDone,
  StepLedger,
  StepRef,
  StepResult,
  StepWaiting,
  TimedStep,
  UnitsPerUser,
} from '../../../shared/ports/step-ledger.ts';
import { sortedFlush } from '../../../shared/postgres/ledger/flush-order.ts';
import { atOnce } from './at-once.ts';
import { costOf, inheritReservation, isBudgetLocked, reserve, settleReservation, unaffordable } from './budgets.ts';
import { attachCapped, hasCap, reserveEffects, settleEffects } from './caps.ts';
import { noteChecked } from './checks.ts';
import { lostBefore } from './lost-users.ts';
import { batchKey, stepKey, type MemoryDatabase } from './memory-database.ts';
import type { StepAttemptRow, StepRow } from './step-tables.ts';
import { releaseStep } from './release-step.ts';
import { claim, claimedStep, contradictionOf, leftIn, mayClaim, unclaimed } from './step-claims.ts';
import { attachSuppressed } from './suppressions.ts';
import { addToFailureTotals, addToTotals } from './totals.ts';

export interface MemoryStepLedgerDeps {
  database: MemoryDatabase;
  /** Name of the worker. */
  owner: string;
  leaseMs: number;
}

export function createMemoryStepLedger({ database, owner, leaseMs }: MemoryStepLedgerDeps): StepLedger {
  const worker = { database, owner, leaseMs, childNumbers: new Map<string, number>() };
  return {
    flush: (flush) =>
      atOnce(() => {
        const { unitsPerUser, actionTypeOf, countryOf, checked, timedWithinMs } = flush;
        const terms = { unitsPerUser, actionTypeOf, countryOf, checked, timedWithinMs };
        return flushed(sortedFlush(flush), { ...worker, ...terms, timed: [], created: [] });
      }),
    lostUsers: (refs) => atOnce(() => refs.map((ref) => lostBefore(database, ref))),
  };
}

interface LedgerWorker extends MemoryStepLedgerDeps {
  /** Last child number of each feed. */
  readonly childNumbers: Map<string, number>;
  /** Units for this flush. */
  readonly unitsPerUser: UnitsPerUser | undefined;
  readonly actionTypeOf: LedgerFlush['actionTypeOf'];
  readonly countryOf: LedgerFlush['countryOf'];
  readonly checked: LedgerFlush['checked'];
  readonly timedWithinMs: number | undefined;
  readonly timed: TimedStep[];
  readonly created: CreatedChild[];
}

/** Children get numbers in blocks, as in Postgres, so that the numbers of two workers are not consecutive. */
const childNumberBlock = 1000;

function nextChildNumber(feedId: string, { database, childNumbers }: LedgerWorker): number {
  const feed = database.feeds.get(feedId);
  if (!feed) throw new Error(`cannot number a child batch: there is no feed ${feedId}`);
  const last = childNumbers.get(feedId);
  const isUsedUp = last === undefined || (last + 1 - firstChildBatchNo) % childNumberBlock === 0;
  const next = isUsedUp ? feed.nextChildNo : last + 1;
  if (isUsedUp) feed.nextChildNo += childNumberBlock;
  childNumbers.set(feedId, next);
  return next;
}

/** Applies a flush as one statement sees it: steps recorded here do not yet allow a claim of the next step. */
function flushed({ results, claims, begins, handOn }: LedgerFlush, worker: LedgerWorker): LedgerFlushed {
  const { database, unitsPerUser } = worker;
  const busy = claims.filter((ref) => costOf(ref, unitsPerUser) > 0 && isBudgetLocked(database, ref.feedId));
  const claimable = claims.filter((ref) => !busy.includes(ref) && leftIn(database, ref));
  const free = claimable.filter((ref) => mayClaim(database, ref));
  const shortages = reserve(database, free, unitsPerUser ?? new Map());
  const capped = reserveEffects(database, free, worker);
  const contradicted = claims.flatMap((claim) => contradictionOf(database, claim) ?? []);
  const result: LedgerFlushed = {
    recorded: [],
    claimed: [],
    busy,
    contradicted,
    handedOn: [],
    children: [],
    created: worker.created,
    timed: worker.timed,
    begun: [],
    refused: [],
  };
  for (const begin of begins) if (noteBegin(database, begin)) result.begun.push(begin);
  for (const step of results) {
    const error = faultOf(step);
    if (error) result.refused.push({ step, error });
    else if (isStillOurs(database, step)) {
      result.recorded.push(step);
      const created = write(step, worker);
      if (step.state === 'done' && created.length > 0) result.children.push({ result: step, claims: created });
      if (step.state === 'done' && handOn?.has(step) && isHandedOn(step, worker)) result.handedOn.push(step);
    }
  }
  for (const ref of claimable) {
    const claimed = claim(ref, worker);
    if (!claimed) continue;
    const isPriced = costOf(ref, unitsPerUser) > 0;
    const short = isPriced ? unaffordable(database, claimed, shortages.get(keyOf(ref))) : undefined;
    if (short && 'state' in short) putBackAgain(short, worker);
    else result.claimed.push(short ?? notifiedOf(attachCapped(claimed, capped.get(keyOf(ref))), worker));
  }
  return result;
}

function notifiedOf(claimed: ClaimedStep, { database, actionTypeOf, checked }: LedgerWorker): ClaimedStep {
  return noteChecked(database, attachSuppressed(database, claimed, actionTypeOf?.(claimed)), checked);
}

function putBackAgain(result: StepWaiting, { database }: LedgerWorker): void {
  const row = database.steps.get(keyOf(result));
  if (row) releaseStep(database, row, result);
  settleEffects(database, result, []);
}

/** Returns true if the step has the epoch of the result, or was recorded under it in a flush whose answer was lost. */
function isStillOurs({ steps }: MemoryDatabase, step: StepResult): boolean {
  return steps.get(keyOf(step))?.epoch === step.epoch;
}

function noteBegin(database: MemoryDatabase, begin: StepBegin): boolean {
  const row = database.steps.get(keyOf(begin));
  if (row?.state !== 'running' || row.epoch !== begin.epoch) return false;
  row.begun = true;
  const { feedId, batchNo, step, epoch } = begin;
  const record = { feedId, batchNo, step, epoch, worker: row.owner, at: database.clock.now() };
  database.stepBegins.set(`${keyOf(begin)}/${epoch}`, record);
  if (row.nextAttemptAtMs === null) keepAttempt(database, { ...begin, epoch: begin.epoch - 1 }, lostWorker);
  return true;
}

const lostWorker = { reading: 'lost', cause: null, users: [] } as const;

function keepAttempt(
  { stepAttempts, clock }: MemoryDatabase,
  { feedId, batchNo, step, epoch }: StepBegin,
  { reading, cause, users }: Pick<StepAttemptRow, 'reading' | 'cause' | 'users'>,
): void {
  const key = `${stepKey(feedId, batchNo, step)}/${epoch}`;
  if (!stepAttempts.has(key))
    stepAttempts.set(key, { feedId, batchNo, step, epoch, at: clock.now(), reading, cause, users });
}

/** Writes a result, and returns the claims of child batches. A repeat of a stored result writes nothing. */
function write(result: StepResult, worker: LedgerWorker): ClaimedStep[] {
  const row = worker.database.steps.get(keyOf(result));
  if (row?.state !== 'running') return [];
  if (costOf(result, worker.unitsPerUser) > 0) settleReservation(worker.database, result);
  const isKept = result.state === 'waiting' || result.children.length > 0;
  if (result.note && isKept) keepAttempt(worker.database, result, result.note);
  if (result.state === 'done') return finish(row, result, worker);
  if (hasCap(worker.database, worker.actionTypeOf?.(result))) settleEffects(worker.database, result, []);
  releaseStep(worker.database, row, result satisfies StepWaiting, worker.timedWithinMs);
  const { feedId, batchNo, step, delayMs } = result;
  if (isTimed(result, worker.timedWithinMs))
    worker.timed.push({ feedId, batchNo, step, result, dueInMs: delayMs, users: null });
  return [];
}

function finish(row: StepRow, result: StepDone, worker: LedgerWorker): ClaimedStep[] {
  const { database } = worker;
  const { feedId, batchNo, step, rest, restUsers, attempts, refused } = result;
  row.state = 'done';
  row.leaseUntilMs = database.clock.nowMs();
  row.rest = rest;
  row.restUsers = restUsers;
  row.lostDigest = result.lostDigest;
  for (const failure of result.failures) {
    database.failures.push({ ...failure, feedId, batchNo, step, attempts, failedAt: database.clock.now() });
  }
  // The users of one recording are in order, as is the sample.
  for (const failure of result.failures.toSorted((a, b) => (a.user < b.user ? -1 : 1)))
    addToFailureTotals(database, feedId, step, failure);
  const ended = { failed: 0, suppressed: 0, unknown: 0 };
  for (const { outcome } of result.failures) ended[outcome]++;
  addToTotals(database, feedId, step, {
    batches: isChildBatch(batchNo) ? 0 : 1,
    [rest]: restUsers,
    ...ended,
    done: 1,
    survived: hasSurvivors(result) ? 1 : 0,
    refused,
  });
  const claims = result.children.flatMap((child) => insertChild(result, child, worker) ?? []);
  const created = worker.created.filter((each) => each.result === result);
  if (hasCap(database, worker.actionTypeOf?.(result))) settleEffects(database, result, created);
  return claims;
}

/** Inserts a child batch. Returns its claim, if one was requested. */
function insertChild(result: StepDone, child: ChildBatch, worker: LedgerWorker): ClaimedStep | undefined {
  const { feedId, batchNo: parent, step } = result;
  const { database, owner, leaseMs, timedWithinMs } = worker;
  const batchNo = nextChildNumber(feedId, worker);
  worker.created.push({ result, child, batchNo });
  const users = [...child.users];
  const nowMs = database.clock.nowMs();
  const { attempts, open, claim: isClaimed } = child;
  const row: StepRow = {
    ...unclaimed,
    feedId,
    batchNo,
    step,
    attempts,
    open,
    ...(isClaimed
      ? { state: 'running', owner, epoch: 1, leaseUntilMs: nowMs + leaseMs }
      : { state: 'waiting', nextAttemptAtMs: nowMs + child.delayMs }),
  };
  database.batches.set(batchKey(feedId, batchNo), { feedId, batchNo, users, parent, fromStep: step });
  database.steps.set(stepKey(feedId, batchNo, step), row);
  const offerAtMs = isClaimed ? row.leaseUntilMs : nowMs + child.delayMs + agendaGraceMs(child, timedWithinMs);
  if (!isClaimed && isTimed(child, timedWithinMs))
    worker.timed.push({ feedId, batchNo, step, result, dueInMs: child.delayMs, users: users.length });
  database.agenda.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, offerAtMs, offers: 0 });
  addToTotals(database, feedId, step, { created: 1, waiting: isClaimed ? 0 : 1 });
  inheritReservation(database, { feedId, batchNo, step }, child, worker.unitsPerUser);
  return isClaimed ? claimedStep(row, users) : undefined;
}

/**
 * Returns true if the next step is handed on. A repeat hands nothing on, because a worker may already have the next
 * step.
 */
function isHandedOn(result: StepDone, worker: LedgerWorker): boolean {
  const next = { ...result, step: result.step + 1 };
  const actionType = worker.actionTypeOf?.(next) ?? '';
  const { suppressionLists } = worker.database;
  if (isListed([...suppressionLists.keys()], actionType) || hasCap(worker.database, actionType)) return false;
  if (!hasSurvivors(result) || worker.database.steps.has(keyOf(next))) return false;
  return claim(next, worker) !== undefined;
}

/** Returns the fault for text that Postgres cannot store: the twin must not accept more. */
function faultOf(result: StepResult): Error | undefined {
  const texts =
    result.state === 'done'
      ? result.failures.flatMap((failure) => [failure.user, failure.reason, failure.detail ?? ''])
      : [result.cause ?? ''];
  return texts.some((text) => text.includes('\0')) ? new Error('a text holds a NUL byte') : undefined;
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return stepKey(feedId, batchNo, step);
}
