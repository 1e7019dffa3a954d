import type { Pool } from 'pg';
import { z } from 'zod';
import { compareUserIds } from '../../../../../shared/domain/ids/user-id.ts';
import type { EarlierRows } from '../../../../../shared/domain/run/earlier-outcomes.ts';
import {
  endOf,
  stepsOfUsers,
  type ChainOutcomes,
  type UserOutcome,
  type UserSteps,
} from '../../../../../shared/domain/run/user-outcomes.ts';
import { usersOf } from '../../../../../shared/domain/step/users-text.ts';
import { failureOutcome, ownOutcome } from '../../../../../shared/postgres/ledger/ledger-codes.ts';
import { InvalidCursorError, type Page } from '../../../frame/page.port.ts';
import { UsersNotKeptError } from '../users-not-kept.ts';
import { selectFamilies, selectFeeds, selectUnsendable } from './run-user-statements.ts';
import { placeText } from '../../../../../shared/contracts/stored-texts.ts';

/** Maximum number of fed batches that one statement reads, with all their descendants. */
const maxBatchesAtOnce = 50;
/** Maximum number of fed batches that one page reads, even if few of their users match. */
const batchesOfPage = 100;

export interface RunUserFilter {
  outcome?: UserOutcome | undefined;
  /** Step of the chain; the first step has number 1. */
  step?: number | undefined;
  country?: string | undefined;
}

export interface RunUserRow {
  user: string;
  /** All fields except the id. Users of one batch with equal outcomes share the same object. */
  shared: SharedOutcome;
}

export interface SharedOutcome {
  country: string;
  /** Name of the variant; null if the run has none. */
  variant: string | null;
  batchNo: number;
  steps: ChainOutcomes;
  end: { step: number; outcome: UserOutcome };
  reason: string | null;
}

export type RunUsers = ReturnType<typeof createRunUsers>;

export function createRunUsers({ pool }: { pool: Pool }) {
  return {
    /**
     * Lists users in the order of countries, feeds, batches and ids. Each statement reads one moment. A page may be
     * shorter than the limit, or empty, without being the last.
     * @throws {InvalidCursorError} if the cursor is invalid
     * @throws {UsersNotKeptError} if the users of a feed were deleted
     */
    page: async (
      runId: string,
      filter: RunUserFilter,
      limit: number,
      cursor: string | null,
    ): Promise<Page<RunUserRow>> => {
      const after = cursor === null ? null : placeOf(cursor);
      const { rows: feeds } = await pool.query<FeedRow>(selectFeeds.with({ runId, country: filter.country ?? null }));
      const first = after === null ? 0 : feeds.findIndex(({ feedId }) => feedId === after.feedId);
      if (first < 0) throw notAPlace(cursor ?? '');
      const items: RunUserRow[] = [];
      let looked = 0;
      // A batch has between one and thousands of users. The first statement reads one batch, so that no more users are
      // parsed than the page needs.
      let batchesAtOnce = 1;
      let place = after;
      for (const feed of feeds.slice(first)) {
        if (!feed.keepsUsers) throw new UsersNotKeptError(`the users of a run in ${feed.country} are no longer stored`);
        place = place?.feedId === feed.feedId ? place : { feedId: feed.feedId, batchNo: 0, user: null };
        while (place.batchNo <= feed.fedBatches) {
          if (items.length >= limit || looked >= batchesOfPage) return { items, next: cursorOf(place) };
          const found = await look(feed, place, limit, batchesAtOnce);
          const fitting = fittingRows(feed, found, filter);
          const taken = fitting.slice(0, limit - items.length);
          items.push(...taken);
          looked += batchesAtOnce;
          batchesAtOnce = batchesFor(limit - items.length, found.rows.length / batchesAtOnce);
          const last = taken.at(-1);
          const isCut = last !== undefined && taken.length < fitting.length;
          place = isCut ? { ...place, batchNo: last.shared.batchNo, user: last.user } : found.next;
        }
      }
      return { items, next: null };
    },
  };

  /** Reads users after a position in a feed. Batch 0 contains the users whose ids break the rules. */
  async function look(feed: FeedRow, place: Place, limit: number, batchesAtOnce: number): Promise<Looked> {
    const { feedId, fromStep, chainLength } = feed;
    if (place.batchNo === 0) {
      const { rows } = await pool.query<UnsendableRow>(
        selectUnsendable.with({ feedId, step: fromStep, after: place.user ?? '', limit }),
      );
      const last = rows.at(-1);
      const next = last && rows.length === limit ? { ...place, user: last.user } : { feedId, batchNo: 1, user: null };
      return {
        rows: rows.map((row) => unsendable(row, fromStep, chainLength)),
        reasons: reasonsOf(rows.map(({ user, reason }) => ({ user, step: fromStep, reason }))),
        next,
      };
    }
    const below = Math.min(place.batchNo + batchesAtOnce, feed.fedBatches + 1);
    const { rows } = await pool.query<FamilyRow>(selectFamilies.with({ feedId, from: place.batchNo, below }));
    const failures = rows.flatMap((batch) => batch.failures);
    const read: EarlierRows = {
      batches: rows.map((batch) => ({ ...batch, users: usersOf(batch.users) })),
      rests: rows.flatMap(({ batchNo, rests }) => rests.map((rest) => ({ batchNo, ...rest }))),
      failures: failures.map((failure) => ({ ...failure, outcome: ownOutcome(failure.outcome) })),
    };
    const fed = read.batches.filter(({ parent }) => parent === null);
    if (fed.length < below - place.batchNo)
      throw new UsersNotKeptError('users of a run were dropped while it was read');
    const reasons = reasonsOf(failures);
    const all = stepsOfUsers(read, chainLength);
    const { batchNo, user: floor } = place;
    const behind =
      floor === null ? all : all.filter((row) => row.batchNo > batchNo || compareUserIds(row.user, floor) > 0);
    return { rows: behind, reasons, next: { feedId, batchNo: below, user: null } };
  }
}

/** Returns the number of batches that contain about this many users. */
function batchesFor(users: number, usersOfBatch: number): number {
  return Math.min(maxBatchesAtOnce, Math.max(1, Math.ceil(users / Math.max(1, usersOfBatch))));
}

type Reasons = ReadonlyMap<string, ReadonlyMap<number, string>>;

interface Looked {
  rows: UserSteps[];
  /** Reasons of failures by user and step. Most users have none. */
  reasons: Reasons;
  next: Place;
}

function reasonsOf(failures: readonly { user: string; step: number; reason: string }[]): Reasons {
  const reasons = new Map<string, Map<number, string>>();
  for (const { user, step, reason } of failures) {
    const ofUser = reasons.get(user) ?? new Map<number, string>();
    reasons.set(user, ofUser.set(step, reason));
  }
  return reasons;
}

interface FeedRow {
  feedId: string;
  country: string;
  variant: string | null;
  fromStep: number;
  fedBatches: number;
  chainLength: number;
  keepsUsers: boolean;
}

/** A fed batch, or a child batch that descends from it, with the results of the batch's steps. */
interface FamilyRow {
  batchNo: number;
  parent: number | null;
  fromStep: number;
  users: string;
  rests: { step: number; rest: 'succeeded' | 'expired' | 'cancelled' }[];
  failures: { step: number; user: string; outcome: number; reason: string }[];
}

interface UnsendableRow {
  user: string;
  outcome: number;
  reason: string;
}

function unsendable({ user, outcome }: UnsendableRow, fromStep: number, chainLength: number): UserSteps {
  const steps = Array.from({ length: chainLength }, (_, index): UserOutcome | null => {
    if (index + 1 < fromStep) return null;
    return index + 1 === fromStep ? failureOutcome(outcome) : 'skipped';
  });
  return { user, batchNo: 0, steps };
}

function fittingRows(
  { country, variant, fromStep }: FeedRow,
  { rows, reasons }: Looked,
  { step, outcome }: RunUserFilter,
): RunUserRow[] {
  // Users who begin with a later step have no outcome in this step.
  if (step !== undefined && step < fromStep) return [];
  const ends = new Map<ChainOutcomes, { end: SharedOutcome['end']; byReason: Map<string | null, SharedOutcome> }>();
  return rows.flatMap(({ user, batchNo, steps }) => {
    const known = ends.get(steps) ?? { end: endOf(steps, step), byReason: new Map<string | null, SharedOutcome>() };
    ends.set(steps, known);
    const { end, byReason } = known;
    if (outcome !== undefined && end.outcome !== outcome) return [];
    const reason = reasons.get(user)?.get(end.step) ?? null;
    const shared = byReason.get(reason) ?? { country, variant, batchNo, steps, end, reason };
    byReason.set(reason, shared);
    return [{ user, shared }];
  });
}

interface Place {
  feedId: string;
  batchNo: number;
  /** Last user of the batch that was on an earlier page; null if there is none. */
  user: string | null;
}

const placeShape = z.tuple([z.guid(), z.int().min(0).max(0x7fffffff), placeText.nullable()]);

function cursorOf({ feedId, batchNo, user }: Place): string {
  return Buffer.from(JSON.stringify([feedId, batchNo, user])).toString('base64url');
}

/**
 * Decodes a cursor.
 * @throws {InvalidCursorError} if it is invalid
 */
function placeOf(cursor: string): Place {
  try {
    const [feedId, batchNo, user] = placeShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { feedId, batchNo, user };
  } catch {
    throw notAPlace(cursor);
  }
}

function notAPlace(cursor: string): InvalidCursorError {
  return new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of a list of users`);
}
