import type { Pool, PoolClient } from 'pg';
import { hasSurvivors } from '../../domain/step/survivors.ts';
import { liftedRetryMs } from '../../domain/step/holds.ts';
import { agendaGraceMs } from '../../domain/step/timed-steps.ts';
import { usersTextOf, usersOf } from '../../domain/step/users-text.ts';
import type {
  CreatedChild,
  ChildBatch,
  ClaimedStep,
  Contradiction,
  LedgerFlushed,
  StepBegin,
  StepClaim,
  StepDone,
  StepResult,
  StepRef,
  StepWaiting,
} from '../../ports/step-ledger.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { failureCode, restCode } from './ledger-codes.ts';
import * as childStatements from './child-statements.ts';
import { holdKey, keepHolds } from './step-holds.ts';
import * as statements from './step-statements.ts';

/** Connection that runs a statement: the pool if the statement is its own transaction, else a client. */
export type Connection = Pool | PoolClient;

export interface ClaimTerms {
  owner: string;
  slot: number;
  leaseMs: number;
}

type ClaimedRow = [
  feed: string,
  batchNo: number,
  step: number,
  epoch: number,
  attempts: number,
  open: boolean,
  lapses: number,
  users: string,
  size: number,
  waited: boolean,
];
type ContradictedRow = [
  feedId: string,
  batchNo: number,
  step: number,
  null,
  null,
  null,
  null,
  lostDigest: string | null,
  remaining: number | null,
  null,
];
type RecordedRow = [
  null,
  0 | null,
  null,
  null,
  null,
  null,
  null,
  positions: string | null,
  handedOn: number | null,
  null,
];

/** Sorted results and claims; claims have no repeats. */
export interface ToRecordAndClaim {
  done: readonly StepDone[];
  claims: readonly StepClaim[];
  handOn: ReadonlySet<StepResult> | undefined;
  /** Suppression lists and caps that the worker knows. */
  rules: string;
}

export async function recordAndClaim(
  connection: Connection,
  { done: results, claims, handOn = new Set(), rules }: ToRecordAndClaim,
  terms: ClaimTerms,
): Promise<
  Pick<LedgerFlushed, 'claimed' | 'contradicted' | 'handedOn'> & { recorded: StepDone[]; otherRules: string | null }
> {
  const claimed = keysOf(claims);
  const { rows } = await connection.query<ClaimedRow | ContradictedRow | RecordedRow>({
    ...statements.recordAndClaim.with({
      ...keysOf(results),
      epochs: plainArray(results.map((result) => result.epoch)),
      rests: plainArray(results.map((result) => restCode[result.rest])),
      restUsers: plainArray(results.map((result) => result.restUsers)),
      lostDigests: textArray(results.map((result) => result.lostDigest)),
      refused: plainArray(results.map((result) => result.refused)),
      handOn: plainArray(results.map((result) => handOn.has(result))),
      ...failuresOf(results),
      claimedFeeds: claimed.feeds,
      claimedBatchNos: claimed.batchNos,
      claimedSteps: claimed.steps,
      claimedRemaining: plainArray(claims.map(({ remaining }) => remaining ?? 'null')),
      claimedDigests: textArray(claims.map(({ lostDigest }) => (lostDigest === undefined ? null : (lostDigest ?? '')))),
      rules,
      ...terms,
    }),
    rowMode: 'array',
  });
  const claimedSteps: ClaimedStep[] = [];
  const contradicted: Contradiction[] = [];
  let recorded: StepDone[] = [];
  let handedOn: StepDone[] = [];
  let otherRules: string | null = null;
  // Empties the driver's result: with `query_timeout`, results and their users outlived their calls until a full
  // garbage collection.
  for (const row of rows.splice(0)) {
    if (row[0] === null && row[1] === 0) otherRules = row[7] ?? '';
    else if (row[0] === null) {
      recorded = atPositions(results, row[7]?.split(',') ?? []);
      const goOn = recorded.filter((result) => handOn.has(result) && hasSurvivors(result));
      // A lower count means that an unexpected row prevented a claim. That step is found when its lease ends.
      if (goOn.length === row[8]) handedOn = goOn;
    } else if (row[3] === null) contradicted.push(contradictionOf(row));
    else claimedSteps.push(claimOf(row));
  }
  return { recorded, claimed: claimedSteps, contradicted, handedOn, otherRules };
}

function contradictionOf([feedId, batchNo, step, , , , , lostDigest, remaining]: ContradictedRow): Contradiction {
  return { feedId, batchNo, step, truth: remaining === null ? null : { remaining, lostDigest } };
}

function claimOf([feedId, batchNo, step, epoch, attempts, open, lapses, users, size, waited]: ClaimedRow): ClaimedStep {
  return { feedId, batchNo, step, epoch, attempts, open, waited, lapses, users, size };
}

/**
 * Releases steps until they are due; returns the steps that this worker still held. The results have to be sorted. If a
 * hold was lifted meanwhile, its steps are due in a moment: otherwise they would wait for the hold's end.
 */
export async function releaseSteps(
  connection: Connection,
  results: readonly StepWaiting[],
  { slot }: ClaimTerms,
  timedWithinMs?: number,
): Promise<StepWaiting[]> {
  const held = results.filter(({ whileHeld }) => whileHeld);
  const kept = held.length === 0 ? undefined : await keepHolds(connection, held);
  const waits = results.map((result) =>
    result.whileHeld && !kept?.has(holdKey(result)) ? { ...result, delayMs: liftedRetryMs } : result,
  );
  const { rows } = await connection.query<{ position: string }>(
    statements.releaseSteps.with({
      ...epochsOf(results),
      delaysMs: plainArray(waits.map(({ delayMs }) => delayMs)),
      gracesMs: plainArray(waits.map((result) => agendaGraceMs(result, timedWithinMs))),
      open: plainArray(results.map((result) => result.open)),
      answered: plainArray(results.map((result) => (result.answered ? 1 : 0))),
      causes: textArray(results.map((result) => result.cause)),
      slot,
    }),
  );
  return atPositions(
    results,
    rows.map((row) => row.position),
  );
}

/** Returns the begins whose steps this worker still holds. The begins have to be sorted. */
export async function noteBegins(connection: Connection, begins: readonly StepBegin[]): Promise<StepBegin[]> {
  const { rows } = await connection.query<{ position: string }>(statements.noteBegins.with(epochsOf(begins)));
  return atPositions(
    begins,
    rows.map((row) => row.position),
  );
}

/** Inserts child batches, each with its step row. Returns the claims of children that start running, in order. */
export async function insertChildren(
  connection: Connection,
  children: readonly CreatedChild[],
  terms: ClaimTerms,
  timedWithinMs: number | undefined,
): Promise<{ result: StepDone; claim: ClaimedStep }[]> {
  const texts = children.map(({ child }) => usersTextOf(child.users));
  await connection.query(
    childStatements.insertChildren.with({
      feeds: plainArray(children.map(({ result }) => result.feedId)),
      batchNos: plainArray(children.map(({ batchNo }) => batchNo)),
      parents: plainArray(children.map(({ result }) => result.batchNo)),
      steps: plainArray(children.map(({ result }) => result.step)),
      sizes: plainArray(children.map(({ child }) => child.users.length)),
      firstUsers: textArray(children.map(({ child }) => child.users.at(0) ?? null)),
      lastUsers: textArray(children.map(({ child }) => child.users.at(-1) ?? null)),
      users: textArray(texts),
      delaysMs: plainArray(children.map(({ child }) => child.delayMs)),
      gracesMs: plainArray(children.map(({ child }) => agendaGraceMs(child, timedWithinMs))),
      attempts: plainArray(children.map(({ child }) => child.attempts)),
      open: plainArray(children.map(({ child }) => child.open)),
      claimed: plainArray(children.map(({ child }) => child.claim)),
      ...terms,
    }),
  );
  return children.flatMap(({ child, batchNo, result }, index) =>
    child.claim ? [{ result, claim: childClaimOf(child, batchNo, result, texts[index] ?? '') }] : [],
  );
}

function childClaimOf(child: ChildBatch, batchNo: number, { feedId, step }: StepDone, users: string): ClaimedStep {
  const { attempts, open } = child;
  const size = child.users.length;
  return { feedId, batchNo, step, epoch: 1, attempts, open, waited: false, lapses: 0, users, size };
}

/** Stores attempts. The results have to be sorted. Results without a note are skipped. */
export async function noteAttempts(connection: Connection, results: readonly StepResult[]): Promise<void> {
  const annotated = results.flatMap((result) => (result.note ? [{ result, note: result.note }] : []));
  if (annotated.length === 0) return;
  await connection.query(
    statements.noteAttempts.with({
      ...epochsOf(annotated.map(({ result }) => result)),
      readings: plainArray(annotated.map(({ note }) => note.reading)),
      causes: textArray(annotated.map(({ note }) => note.cause)),
      users: textArray(annotated.map(({ note }) => (note.users.length === 0 ? null : JSON.stringify(note.users)))),
    }),
  );
}

export async function writtenBefore(connection: Connection, results: readonly StepResult[]): Promise<StepResult[]> {
  const { rows } = await connection.query<{ position: string }>(statements.writtenBefore.with(epochsOf(results)));
  return atPositions(
    results,
    rows.map((row) => row.position),
  );
}

export async function lostBefore(connection: Connection, refs: readonly StepRef[]): Promise<string[][]> {
  const { rows } = await connection.query<{ failed: string[]; split_off: string | null }>(
    statements.lostBefore.with(keysOf(refs)),
  );
  return rows.map((row) => [...row.failed, ...usersOf(row.split_off ?? '')]);
}

export function keysOf(refs: readonly StepRef[]): { feeds: string; batchNos: string; steps: string } {
  return {
    feeds: plainArray(refs.map((ref) => ref.feedId)),
    batchNos: plainArray(refs.map((ref) => ref.batchNo)),
    steps: plainArray(refs.map((ref) => ref.step)),
  };
}

function epochsOf(refs: readonly StepBegin[]): ReturnType<typeof keysOf> & { epochs: string } {
  return { ...keysOf(refs), epochs: plainArray(refs.map((ref) => ref.epoch)) };
}

/** Builds the counts for each result, then the failures of all results, each with the position of its result. */
function failuresOf(results: readonly StepDone[]) {
  const failed: number[] = [];
  const unknown: number[] = [];
  const positions: number[] = [];
  const users: string[] = [];
  const outcomes: number[] = [];
  const reasons: string[] = [];
  const details: (string | null)[] = [];
  const attempts: number[] = [];
  for (const [index, result] of results.entries()) {
    const ended = { failed: 0, suppressed: 0, unknown: 0 };
    for (const failure of result.failures) {
      ended[failure.outcome]++;
      positions.push(index + 1);
      users.push(failure.user);
      outcomes.push(failureCode[failure.outcome]);
      reasons.push(failure.reason);
      details.push(failure.detail);
      attempts.push(result.attempts);
    }
    failed.push(ended.failed);
    unknown.push(ended.unknown);
  }
  return {
    failed: plainArray(failed),
    unknown: plainArray(unknown),
    failurePositions: plainArray(positions),
    failedUsers: textArray(users),
    outcomes: plainArray(outcomes),
    reasons: textArray(reasons),
    details: textArray(details),
    attempts: plainArray(attempts),
  };
}

/** Positions count from 1, as `with ordinality` does; pg returns a bigint as text. */
function atPositions<Entry>(entries: readonly Entry[], positions: readonly string[]): Entry[] {
  return positions.flatMap((position) => entries[Number(position) - 1] ?? []);
}
