import type { Pool, PoolClient } from 'pg';
import { usersTextOf, usersOf } from '../domain/users-text.ts';
import type { ChildBatch, ClaimedStep, StepDone, StepResult, StepRef, StepWaiting } from '../ports/step-ledger.ts';
import { plainArray, textArray } from './array-literals.ts';
import { failureCode, restCode } from './ledger-codes.ts';
import * as statements from './step-statements.ts';

/** One function per statement of the ledger: parameters in, rows out. */

/** Whoever runs a statement: the pool for a statement that is its own transaction, a client inside of one. */
type Connection = Pool | PoolClient;

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
  attempt: number,
  users: string,
  size: number,
];
type RecordedRow = [null, null, null, null, null, positions: string | null, null];

/** Records the done steps and makes the claims. Both have to be sorted, the claims without repeats. */
export async function recordAndClaim(
  connection: Connection,
  records: readonly StepDone[],
  claims: readonly StepRef[],
  { owner, slot, leaseMs }: ClaimTerms,
): Promise<{ recorded: StepDone[]; claimed: ClaimedStep[] }> {
  const { rows } = await connection.query<ClaimedRow | RecordedRow>({
    name: 'record-and-claim',
    text: statements.recordAndClaim,
    rowMode: 'array',
    values: [
      ...keysOf(records),
      plainArray(records.map((record) => record.epoch)),
      plainArray(records.map((record) => restCode[record.rest])),
      plainArray(records.map((record) => record.restUsers)),
      ...failuresOf(records),
      ...keysOf(claims),
      owner,
      leaseMs,
      slot,
    ],
  });
  const claimed: ClaimedStep[] = [];
  let recorded: StepDone[] = [];
  // Taken out of the driver's result: with `query_timeout`, results were seen to outlive their calls until a full collection, users and all.
  for (const row of rows.splice(0)) {
    if (row[0] === null) recorded = atPositions(records, row[5]?.split(',') ?? []);
    else claimed.push(claimOf(row));
  }
  return { recorded, claimed };
}

function claimOf([feedId, batchNo, step, epoch, attempt, users, size]: ClaimedRow): ClaimedStep {
  return { feedId, batchNo, step, epoch, attempt, users, size };
}

/** Puts the steps back until they are due; returns those that were still ours. */
export async function putBack(connection: Connection, records: readonly StepWaiting[]): Promise<StepWaiting[]> {
  const { rows } = await connection.query<{ position: string }>({
    name: 'put-back',
    text: statements.putBack,
    values: [
      ...keysOf(records),
      plainArray(records.map((record) => record.epoch)),
      plainArray(records.map((record) => record.delayMs)),
      plainArray(records.map((record) => (record.burnsAttempt ? 0 : 1))),
      textArray(records.map((record) => record.cause)),
    ],
  });
  return atPositions(
    records,
    rows.map((row) => row.position),
  );
}

/** Inserts the child batches of recorded steps, each with a step row that waits. The records have to be sorted. */
export async function insertChildren(connection: Connection, records: readonly StepDone[]): Promise<void> {
  const children = records.flatMap((record) => record.children.map((child) => ({ record, child })));
  const numbers = await takeNumbers(connection, children);
  await connection.query({
    name: 'insert-children',
    text: statements.insertChildren,
    values: [
      plainArray(children.map(({ record }) => record.feedId)),
      plainArray(numbers),
      plainArray(children.map(({ record }) => record.batchNo)),
      plainArray(children.map(({ record }) => record.step)),
      plainArray(children.map(({ child }) => child.users.length)),
      textArray(children.map(({ child }) => child.users.at(0) ?? null)),
      textArray(children.map(({ child }) => child.users.at(-1) ?? null)),
      textArray(children.map(({ child }) => usersTextOf(child.users))),
      plainArray(children.map(({ child }) => child.delayMs)),
      plainArray(children.map(({ child }) => child.attempts)),
    ],
  });
}

/** One number for each birth, in their order. */
async function takeNumbers(
  connection: Connection,
  children: readonly { record: StepRef; child: ChildBatch }[],
): Promise<number[]> {
  const byFeed = Map.groupBy(children, ({ record }) => record.feedId);
  const { rows } = await connection.query<{ feedId: string; first: number }>({
    name: 'take-child-numbers',
    text: statements.takeChildNumbers,
    values: [plainArray([...byFeed.keys()]), plainArray([...byFeed.values()].map((ofFeed) => ofFeed.length))],
  });
  const next = new Map(rows.map((row) => [row.feedId, row.first]));
  return children.map(({ record }) => {
    const number = next.get(record.feedId);
    if (number === undefined) throw new Error(`cannot number a child batch: there is no feed ${record.feedId}`);
    next.set(record.feedId, number + 1);
    return number;
  });
}

export async function writtenBefore(connection: Connection, records: readonly StepResult[]): Promise<StepResult[]> {
  const { rows } = await connection.query<{ position: string }>({
    name: 'written-before',
    text: statements.writtenBefore,
    values: [...keysOf(records), plainArray(records.map((record) => record.epoch))],
  });
  return atPositions(
    records,
    rows.map((row) => row.position),
  );
}

export async function lostBefore(connection: Connection, refs: readonly StepRef[]): Promise<string[][]> {
  const { rows } = await connection.query<{ failed: string[]; split_off: string | null }>({
    name: 'lost-before',
    text: statements.lostBefore,
    values: keysOf(refs),
  });
  return rows.map((row) => [...row.failed, ...usersOf(row.split_off ?? '')]);
}

function keysOf(refs: readonly StepRef[]): string[] {
  return [
    plainArray(refs.map((ref) => ref.feedId)),
    plainArray(refs.map((ref) => ref.batchNo)),
    plainArray(refs.map((ref) => ref.step)),
  ];
}

/** Counts per record, then the failures of all records, each with its record's position. */
function failuresOf(records: readonly StepDone[]): string[] {
  const failed: number[] = [];
  const unknown: number[] = [];
  const positions: number[] = [];
  const users: string[] = [];
  const outcomes: number[] = [];
  const reasons: string[] = [];
  const details: (string | null)[] = [];
  for (const [index, record] of records.entries()) {
    let unknownUsers = 0;
    for (const failure of record.failures) {
      if (failure.outcome === 'unknown') unknownUsers++;
      positions.push(index + 1);
      users.push(failure.user);
      outcomes.push(failureCode[failure.outcome]);
      reasons.push(failure.reason);
      details.push(failure.detail);
    }
    failed.push(record.failures.length - unknownUsers);
    unknown.push(unknownUsers);
  }
  return [
    plainArray(failed),
    plainArray(unknown),
    plainArray(positions),
    textArray(users),
    plainArray(outcomes),
    textArray(reasons),
    textArray(details),
  ];
}

/** Positions count from 1, as `with ordinality` does; a bigint reaches us as text. */
function atPositions<Entry>(entries: readonly Entry[], positions: readonly string[]): Entry[] {
  return positions.flatMap((position) => entries[Number(position) - 1] ?? []);
}
