import type { Pool } from 'pg';
import type { AttemptNote } from '../../../../../shared/ports/step-ledger.ts';
import type { FeedAudience } from '../../../../../shared/contracts/runs/feed-audience.ts';
import { z } from 'zod';
import type { OwnOutcome } from '../../../../../shared/domain/step/outcomes.ts';
import type { RunState } from '../../../../../shared/domain/run/run-states.ts';
import { brokenUserIdRule, escapeUserId } from '../../../../../shared/domain/ids/user-id.ts';
import { audienceOf, type AudienceColumns } from '../../../../../shared/postgres/ledger/feed-audience.ts';
import { outcomeOfRest, ownOutcome, stateOfStep } from '../../../../../shared/postgres/ledger/ledger-codes.ts';
import { findPlace, followUser, selectUserReceipts } from './user-history-statements.ts';

/** All that the ledger knows of one user in one run. */
export interface UserHistory {
  runId: string;
  campaignId: string;
  state: RunState;
  asOf: Date;
  chain: readonly { action: string }[];
  /** Null while receipts of the run are kept, or if it never had any. */
  receiptsDeletedAt: Date | null;
  /** In the order of countries and steps. */
  feeds: readonly HistoryFeed[];
  /** Null where no feed of the run holds the user, or that is not known any more. */
  place: UserPlace | null;
}

export interface HistoryFeed {
  country: string;
  audience: FeedAudience;
  /** The step that its users begin with. */
  fromStep: number;
  complete: boolean;
  /** The last user that was fed. */
  cursor: string | null;
  /** False once its users were dropped: then it cannot be said who they were. */
  usersKept: boolean;
}

export interface UserPlace {
  /** Part of the key of every call for the user. */
  feedId: string;
  country: string;
  /** Other countries in which the run was fed the user: one segment held it in several. */
  alsoIn: readonly string[];
  fromStep: number;
  /**
   * The batch that the user was fed with and the child batches that it went on in, in that order. Empty for one that
   * could not be sent.
   */
  batches: readonly HistoryBatch[];
  /** Why the user could never be sent: its id breaks a rule. */
  unsendable: HistoryFailure | null;
  /** What providers said of what they accepted, in the order of the steps. */
  receipts: readonly HistoryReceipt[];
}

export interface HistoryReceipt {
  step: number;
  delivered: boolean;
  code: string | null;
  at: Date;
  receivedAt: Date;
}

export interface HistoryBatch {
  batchNo: number;
  parent: number | null;
  /** First step that is this batch's own. */
  fromStep: number;
  users: number;
  /** Those that were claimed, in their order. */
  steps: readonly HistoryStep[];
}

export interface HistoryStep {
  step: number;
  state: 'running' | 'waiting' | 'done';
  /** Of a done one: when it was recorded. */
  endedAt: Date | null;
  /** Of a waiting one. */
  nextAttemptAt: Date | null;
  /** What it waits for. */
  cause: string | null;
  /** Outcome of everybody without a failure and in no child batch; null while it is not done. */
  rest: 'succeeded' | 'expired' | 'cancelled' | null;
  /** The user's own. */
  failure: HistoryFailure | null;
  /** Earlier calls, the first one first. */
  attempts: readonly HistoryAttempt[];
}

/** An outcome of the user's own, apart from the rest of its batch. */
export interface HistoryFailure {
  /** `succeeded`: was unknown and was settled so after the run. It did not go on. */
  outcome: OwnOutcome | 'succeeded';
  reason: string;
  detail: string | null;
  attempts: number;
  failedAt: Date;
}

/** A call that was not the last word: the step was put back, split, or its worker was lost. */
export interface HistoryAttempt {
  at: Date;
  reading: AttemptNote['reading'] | 'lost';
  cause: string | null;
  /** What was said of this user, where users were spoken of one by one. */
  code: string | null;
  detail: string | null;
}

export type UserHistories = ReturnType<typeof createUserHistories>;

export function createUserHistories({ pool }: { pool: Pool }) {
  async function follow(feedId: string, batchNo: number, user: string): Promise<HistoryBatch[]> {
    const { rows } = await pool.query<BatchRow>(followUser, [feedId, batchNo, user]);
    return rows.map(({ steps, ...batch }) => ({ ...batch, steps: steps.map((step) => stepOf(step, user)) }));
  }

  async function placeOf(rows: readonly PlaceRow[], user: string): Promise<UserPlace | null> {
    const holding = rows.flatMap((row) => (row.feedId && (row.batchNo !== null || row.unsendable) ? [row] : []));
    const [row] = holding;
    if (!row) return null;
    const countries = new Set(holding.map((other) => other.country));
    const { feedId, country, fromStep, batchNo, unsendable } = row;
    const batches = batchNo === null ? [] : await follow(feedId, batchNo, user);
    const { rows: receipts } = await pool.query<HistoryReceipt>(selectUserReceipts, [feedId, user, row.chain.length]);
    const alsoIn = [...countries].filter((other) => other !== country);
    return { feedId, country, alsoIn, fromStep, batches, unsendable: unsendable && failureOf(unsendable), receipts };
  }

  return {
    /**
     * By keys alone, so that it costs the same in a large run.
     * @param user any text, also an id that breaks the rules, and the escaped form in which such a one is listed
     * @returns undefined where there is no such run
     */
    find: async (runId: string, user: string): Promise<UserHistory | undefined> => {
      const listed = escapeUserId(user);
      // What breaks the rules is in no batch, and may be what Postgres cannot hold.
      const asked = brokenUserIdRule(user) === null ? user : listed;
      const { rows } = await pool.query<PlaceRow>(findPlace, [runId, asked, listed]);
      const [first] = rows;
      if (!first) return undefined;
      const { campaignId, state, asOf, chain, receiptsDeletedAt } = first;
      const place = await placeOf(rows, asked);
      return { runId, campaignId, state, asOf, chain, receiptsDeletedAt, feeds: rows.flatMap(feedOf), place };
    },
  };
}

/** A run that is being prepared has no feed yet: one row, and nothing in it of one. */
type PlaceRow = {
  campaignId: string;
  state: RunState;
  asOf: Date;
  chain: { action: string }[];
  receiptsDeletedAt: Date | null;
} & ((FeedFacts & { feedId: string; batchNo: number | null; unsendable: FailureRow | null }) | NoFeed);

type FeedFacts = Omit<HistoryFeed, 'audience'> & AudienceColumns;

interface NoFeed {
  feedId: null;
  batchNo: null;
  unsendable: null;
}

/** Times inside of JSON are texts. */
type FailureRow = Omit<HistoryFailure, 'outcome' | 'failedAt'> & { outcome: number; failedAt: string };

interface StepRow extends Pick<HistoryStep, 'step' | 'cause'> {
  state: number;
  endedAt: string | null;
  nextAttemptAt: string | null;
  rest: number | null;
  failure: FailureRow | null;
  attempts: (Pick<HistoryAttempt, 'reading' | 'cause'> & { at: string; users: string | null })[];
}

type BatchRow = Omit<HistoryBatch, 'steps'> & { steps: StepRow[] };

function feedOf(row: PlaceRow): HistoryFeed[] {
  if (row.feedId === null) return [];
  const { country, fromStep, complete, cursor, usersKept } = row;
  const lastFed = cursor === null ? null : z.string().parse(JSON.parse(cursor));
  return [{ country, audience: audienceOf(row), fromStep, complete, cursor: lastFed, usersKept }];
}

function stepOf({ step, state, endedAt, nextAttemptAt, cause, rest, failure, attempts }: StepRow, user: string) {
  const isDone = stateOfStep(state) === 'done';
  const isWaiting = stateOfStep(state) === 'waiting';
  return {
    step,
    state: stateOfStep(state),
    endedAt: isDone && endedAt !== null ? new Date(endedAt) : null,
    nextAttemptAt: isWaiting && nextAttemptAt !== null ? new Date(nextAttemptAt) : null,
    cause: isDone ? null : cause,
    rest: rest === null ? null : outcomeOfRest(rest),
    failure: failure && failureOf(failure),
    attempts: attempts.map(({ at, users, ...attempt }) => ({
      ...attempt,
      at: new Date(at),
      ...reportedOf(users, user),
    })),
  } satisfies HistoryStep;
}

const reportedUsers = z.array(
  z.object({ code: z.string(), detail: z.string().nullable(), users: z.array(z.string()) }),
);

function reportedOf(stored: string | null, user: string): Pick<HistoryAttempt, 'code' | 'detail'> {
  const reported = stored === null ? [] : reportedUsers.parse(JSON.parse(stored));
  const own = reported.find(({ users }) => users.includes(user));
  return { code: own?.code ?? null, detail: own?.detail ?? null };
}

function failureOf({ outcome, failedAt, ...failure }: FailureRow): HistoryFailure {
  return { ...failure, outcome: ownOutcome(outcome), failedAt: new Date(failedAt) };
}
