import type { Pool } from 'pg';
import type { AttemptNote } from '../../../../../shared/ports/step-ledger.ts';
import type { FeedAudience } from '../../../../../shared/contracts/runs/feed-audience.ts';
import { z } from 'zod';
import type { OwnOutcome } from '../../../../../shared/domain/step/outcomes.ts';
import type { CanaryState } from '../../../../../shared/domain/run/canary.ts';
import type { RunState } from '../../../../../shared/domain/run/run-states.ts';
import { brokenUserIdRule, escapeUserId } from '../../../../../shared/domain/ids/user-id.ts';
import { readCapDetail } from '../../../../../shared/domain/step/caps.ts';
import { reasons } from '../../../../../shared/domain/step/reasons.ts';
import { audienceOf, type AudienceColumns } from '../../../../../shared/postgres/ledger/feed-audience.ts';
import { outcomeOfRest, ownOutcome, stateOfStep } from '../../../../../shared/postgres/ledger/ledger-codes.ts';
import { findPlace, followUser, selectCountedEffects, selectUserReceipts } from './user-history-statements.ts';

export interface UserHistory {
  runId: string;
  campaignId: string;
  state: RunState;
  /** State of the canary; null if the run has none. */
  canary: CanaryState | null;
  asOf: Date;
  chain: readonly { action: string }[];
  /** Time at which receipts of the run were deleted; null while they are kept, or if there never were any. */
  receiptsDeletedAt: Date | null;
  /** Feeds in the order of countries and steps. */
  feeds: readonly HistoryFeed[];
  /** Batch in which the user was fed; null if no feed of the run contains the user, or if the users were deleted. */
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
  /** False after the users of the feed were deleted. Whether the feed contained the user is then unknown. */
  usersKept: boolean;
}

export interface UserPlace {
  /** Id of the feed, which is a part of the idempotency key of each call for the user. */
  feedId: string;
  country: string;
  variant: string | null;
  /** Other countries in which the user was fed, because a segment contained the user in several countries. */
  alsoIn: readonly string[];
  fromStep: number;
  /**
   * Batch with which the user was fed, followed by the child batches that contain the user. Empty if the user cannot be
   * called.
   */
  batches: readonly HistoryBatch[];
  /** Rule that the user id breaks, so that the user can never be called; otherwise null. */
  unsendable: HistoryFailure | null;
  receipts: readonly HistoryReceipt[];
  /** Effects of earlier steps and runs that a cap counted, if a cap suppressed the user; newest first. */
  counted: readonly CountedEffect[];
}

export interface CountedEffect {
  runId: string;
  campaignId: string;
  campaignName: string;
  step: number;
  action: string;
  at: Date;
  /** Countries and action types of the campaign, which decide who may read it. */
  countries: readonly string[];
  actionTypes: readonly string[];
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
  /** First step of this batch. Earlier steps belong to its parent batch. */
  fromStep: number;
  users: number;
  /** Claimed steps in the order of the chain. */
  steps: readonly HistoryStep[];
}

export interface HistoryStep {
  step: number;
  state: 'running' | 'waiting' | 'done';
  /** Time at which the result was recorded, if the step is done. */
  endedAt: Date | null;
  nextAttemptAt: Date | null;
  cause: string | null;
  /** Outcome of all users of the batch that have no failure and are in no child batch; null until the step is done. */
  rest: 'succeeded' | 'expired' | 'cancelled' | null;
  failure: HistoryFailure | null;
  /** Earlier calls of the step, oldest first. */
  attempts: readonly HistoryAttempt[];
}

/** Outcome of the user, if it differs from the outcome of the rest of its batch. */
export interface HistoryFailure {
  /**
   * `succeeded` means that the outcome was unknown and was settled as succeeded after the run. The user did not
   * continue.
   */
  outcome: OwnOutcome | 'succeeded';
  reason: string;
  detail: string | null;
  attempts: number;
  failedAt: Date;
}

/** Call that did not end the step: afterwards, the step was scheduled again or split, or its worker was lost. */
export interface HistoryAttempt {
  at: Date;
  reading: AttemptNote['reading'] | 'lost';
  cause: string | null;
  /** Code for this user, if the answer had a result for each user. */
  code: string | null;
  detail: string | null;
}

export type UserHistories = ReturnType<typeof createUserHistories>;

export function createUserHistories({ pool }: { pool: Pool }) {
  async function follow(feedId: string, batchNo: number, user: string): Promise<HistoryBatch[]> {
    const { rows } = await pool.query<BatchRow>(followUser, [feedId, batchNo, user]);
    return rows.map(({ steps, ...batch }) => ({ ...batch, steps: steps.map((step) => stepOf(step, user)) }));
  }

  async function countedFor(batches: readonly HistoryBatch[], country: string, user: string): Promise<CountedEffect[]> {
    const failures = batches.flatMap(({ steps }) => steps.flatMap(({ failure }) => failure ?? []));
    const capped = failures.find(({ reason }) => reason === reasons.cap);
    const read = capped && readCapDetail(capped.detail ?? '');
    if (!read) return [];
    const values = { country, user, until: capped.failedAt, cap: read.cap, effects: read.had };
    return (await pool.query<CountedEffect>(selectCountedEffects.with(values))).rows;
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
    const counted = await countedFor(batches, country, user);
    const sent = { batches, unsendable: unsendable && failureOf(unsendable), receipts, counted };
    return { feedId, country, variant, alsoIn, fromStep, ...sent };
  }

  return {
    /**
     * Finds a user by keys only, so that the cost does not depend on the size of the run.
     * @param user any text, such as an id that breaks the rules, or the escaped form in which lists show such an id
     * @returns undefined if the run does not exist
     */
    find: async (runId: string, user: string): Promise<UserHistory | undefined> => {
      const listed = escapeUserId(user);
      // If the id breaks the rules, no batch contains it, and Postgres may be unable to store it. In this case, the
      // escaped form is searched.
      const searched = brokenUserIdRule(user) === null ? user : listed;
      const { rows } = await pool.query<PlaceRow>(findPlace, [runId, searched, listed]);
      const [first] = rows;
      if (!first) return undefined;
      const { campaignId, state, canary, asOf, chain, receiptsDeletedAt } = first;
      const place = await placeOf(rows, searched);
      const feeds = rows.flatMap(feedOf);
      return { runId, campaignId, state, canary, asOf, chain, receiptsDeletedAt, feeds, place };
    },
  };
}

/** Row of the query. A run in state `preparing` has no feed, and yields one row without columns of a feed. */
type PlaceRow = {
  campaignId: string;
  state: RunState;
  canary: CanaryState | null;
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
