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

export interface UserHistory {
  runId: string;
  campaignId: string;
  state: RunState;
  asOf: Date;
  chain: readonly { action: string }[];
  /** Null while receipts of the run are kept, or if the run never had any. */
  receiptsDeletedAt: Date | null;
  /** Feeds in the order of countries and steps. */
  feeds: readonly HistoryFeed[];
  /** Null if no feed of the run contains the user, or if the users were deleted. */
  place: UserPlace | null;
}

export interface HistoryFeed {
  country: string;
  /** Name of the variant of the feed's users; null if the run has none. */
  variant: string | null;
  audience: FeedAudience;
  fromStep: number;
  complete: boolean;
  cursor: string | null;
  /** False once the feed's users were deleted; membership is then unknown. */
  usersKept: boolean;
}

export interface UserPlace {
  /** Part of the key of every call for the user. */
  feedId: string;
  country: string;
  variant: string | null;
  /** Other countries in which the run was fed the user, because a segment contained it in several. */
  alsoIn: readonly string[];
  fromStep: number;
  /**
   * The batch with which the user was fed, then the child batches that contain the user. Empty if the user cannot be
   * sent.
   */
  batches: readonly HistoryBatch[];
  /** Set if the user can never be sent because its id breaks a rule. */
  unsendable: HistoryFailure | null;
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
  /** First step for which this batch exists; earlier steps belong to its parent. */
  fromStep: number;
  users: number;
  /** Claimed steps, in order. */
  steps: readonly HistoryStep[];
}

export interface HistoryStep {
  step: number;
  state: 'running' | 'waiting' | 'done';
  /** Time of recording, if the step is done. */
  endedAt: Date | null;
  nextAttemptAt: Date | null;
  cause: string | null;
  /** Outcome of all users without a failure that are in no child batch; null until the step is done. */
  rest: 'succeeded' | 'expired' | 'cancelled' | null;
  failure: HistoryFailure | null;
  /** Earlier calls, oldest first. */
  attempts: readonly HistoryAttempt[];
}

/** Outcome of the user that differs from the rest of its batch. */
export interface HistoryFailure {
  /** `succeeded`: the user was unknown and was settled as succeeded after the run. The user did not continue. */
  outcome: OwnOutcome | 'succeeded';
  reason: string;
  detail: string | null;
  attempts: number;
  failedAt: Date;
}

/** A call that did not end the step: the step was scheduled again or split, or its worker was lost. */
export interface HistoryAttempt {
  at: Date;
  reading: AttemptNote['reading'] | 'lost';
  cause: string | null;
  /** Code for this user, if the answer reported users individually. */
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
    const { feedId, country, variant, fromStep, batchNo, unsendable } = row;
    const batches = batchNo === null ? [] : await follow(feedId, batchNo, user);
    const { rows: receipts } = await pool.query<HistoryReceipt>(selectUserReceipts, [feedId, user, row.chain.length]);
    const alsoIn = [...countries].filter((other) => other !== country);
    const sent = { batches, unsendable: unsendable && failureOf(unsendable), receipts };
    return { feedId, country, variant, alsoIn, fromStep, ...sent };
  }

  return {
    /**
     * Finds a user by keys only, so the cost does not depend on the size of the run.
     * @param user any text, including an id that breaks the rules and the escaped form in which such an id is listed
     * @returns undefined if the run does not exist
     */
    find: async (runId: string, user: string): Promise<UserHistory | undefined> => {
      const listed = escapeUserId(user);
      // If the id breaks the rules, no batch contains it, and Postgres may be unable to store it. The escaped form is
      // then searched.
      const searched = brokenUserIdRule(user) === null ? user : listed;
      const { rows } = await pool.query<PlaceRow>(findPlace, [runId, searched, listed]);
      const [first] = rows;
      if (!first) return undefined;
      const { campaignId, state, asOf, chain, receiptsDeletedAt } = first;
      const place = await placeOf(rows, searched);
      return { runId, campaignId, state, asOf, chain, receiptsDeletedAt, feeds: rows.flatMap(feedOf), place };
    },
  };
}

/** A run in state `preparing` has no feed yet: it yields one row without feed columns. */
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

/** Times inside JSON are strings. */
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
  const { country, variant, fromStep, complete, cursor, usersKept } = row;
  const lastFed = cursor === null ? null : z.string().parse(JSON.parse(cursor));
  return [{ country, variant, audience: audienceOf(row), fromStep, complete, cursor: lastFed, usersKept }];
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
