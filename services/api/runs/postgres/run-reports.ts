import { holdsEveryCampaign } from '../../../../shared/domain/scopes.ts';
import { seenParamsOf } from '../../frame/postgres/seen-campaigns.ts';
import type { Pool } from 'pg';
import { failureCursorOf, failurePlaceOf } from '../failure-cursor.contract.ts';
import { InvalidCursorError } from '../../frame/page.port.ts';
import type {
  FailureGroup,
  RecordedFailure,
  RunHeader,
  RunPoints,
  RunReports,
  RunSnapshot,
  RunWaitRow,
} from '../run-reports.port.ts';
import { failureCode, failureOutcome } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { isTerminal } from '../../../../shared/domain/run/run-states.ts';
import type { ReceiptTotals } from '../../../../shared/domain/step/receipts.ts';
import { sampleSize } from '../../../../shared/postgres/ledger/totals-sql.ts';
import { patternOf } from '../../frame/postgres/name-pattern.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import { createUnexpectedReceiptCounter, type FeedReceipts } from '../explain/postgres/unexpected-receipts.ts';
import {
  selectComparable,
  selectDryRuns,
  selectFailureGroups,
  selectFailures,
  selectFoundRuns,
  selectOpenRuns,
  selectPoints,
  selectRuns,
  selectSnapshots,
  selectTests,
} from './run-report-statements.ts';

export function createRunReports({ pool }: { pool: Pool }): RunReports {
  const countUnexpectedReceipts = createUnexpectedReceiptCounter({ pool });

  async function snapshots(runIds: readonly string[]): Promise<RunSnapshot[]> {
    if (runIds.length === 0) return [];
    const { rows } = await pool.query<SnapshotRow>(selectSnapshots, [runIds]);
    const feeds = rows.flatMap(({ countries, endedAt, failuresKept, receiptsDeletedAt }) => {
      const isCounted = !failuresKept || receiptsDeletedAt !== null;
      return countries.map((feed) => ({ ...feed, isOver: endedAt !== null, isCounted }));
    });
    const receipts = await countUnexpectedReceipts(feeds);
    return rows.map((row) => snapshotOf(row, receipts));
  }

  return {
    list: async ({ campaignId, state, kind = 'live', text, ended, within }, limit, cursor) => {
      requireIdCursor(cursor);
      const isBounded = within !== undefined && !holdsEveryCampaign(within);
      if (text !== undefined || ended !== undefined || isBounded) {
        const found = selectFoundRuns.with({
          limit: limit + 1,
          kind,
          campaignId: campaignId ?? null,
          state: state ?? null,
          ended: ended ?? null,
          pattern: patternOf(text),
          after: cursor,
          ...seenParamsOf(within),
        });
        return pageOf((await pool.query<RunHeader>(found)).rows, limit, (header) => header.runId);
      }
      const selectLive = state === undefined || isTerminal(state) ? selectRuns : selectOpenRuns;
      const statement = kind === 'dry-run' ? selectDryRuns : kind === 'test' ? selectTests : selectLive;
      const values = [limit + 1, campaignId ?? null, state ?? null, cursor];
      const { rows } = await pool.query<RunHeader>(statement, values);
      return pageOf(rows, limit, (header) => header.runId);
    },

    comparable: async (runId, limit, within) =>
      (await pool.query<RunHeader>(selectComparable.with({ runId, limit, ...seenParamsOf(within) }))).rows,

    snapshot: async (runId) => (await snapshots([runId]))[0],

    snapshots,

    points: async (runId) => {
      const { rows } = await pool.query<PointRow>(selectPoints, [runId]);
      const [first] = rows;
      if (!first) return undefined;
      const points = rows.flatMap(({ at, ended }) => (at === null || ended === null ? [] : [{ at, ended }]));
      return { startedAt: first.startedAt, endedAt: first.endedAt, points };
    },

    failureGroups: async (runId) => {
      const { rows } = await pool.query<FailureGroupRow>(selectFailureGroups, [runId]);
      return rows.map(({ samples, ...row }) => {
        return { ...row, outcome: failureOutcome(row.outcome), sample: samples.flat().slice(0, sampleSize) };
      });
    },

    failures: async (runId, filter, limit, cursor) => {
      const { q, step, country, reason, outcome, batch, failedFrom, failedUntil } = filter;
      const after = cursor === null ? undefined : failurePlaceOf(cursor);
      if (cursor !== null && !after)
        throw new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of a list of failures`);
      const { rows } = await pool.query<FailureRow>(
        selectFailures.with({
          runId,
          limit: limit + 1,
          q: q ?? null,
          country: country ?? null,
          step: step ?? null,
          reason: reason ?? null,
          outcome: outcome === undefined ? null : failureCode[outcome],
          batch: batch ?? null,
          failedFrom: failedFrom ?? null,
          failedUntil: failedUntil ?? null,
          afterCountry: after?.country ?? null,
          afterFeed: after?.feedId ?? null,
          afterBatch: after?.batchNo ?? null,
          afterStep: after?.step ?? null,
          afterUser: after?.user ?? null,
        }),
      );
      const { items, next } = pageOf(rows, limit, failureCursorOf);
      return { items: items.map(failureOf), next };
    },
  };
}

/** Row of a point. `at` and `ended` are null if the run has no points. */
type PointRow = Pick<RunPoints, 'startedAt' | 'endedAt'> & { at: Date | null; ended: number | null };

/** Row whose outcome is the number that the database stores. */
type Coded<Failure> = Omit<Failure, 'outcome'> & { outcome: number };

/** Row of a snapshot. Times inside JSON are strings. */
type SnapshotRow = Omit<RunSnapshot, 'waits' | 'countries'> & { waits: WaitRow[] | null; countries: FeedRow[] };

type WaitRow = Omit<RunWaitRow, 'since' | 'nextTryAt'> & { since: string; nextTryAt: string | null };

type FeedRow = Omit<RunSnapshot['countries'][number], 'receipts'> & Pick<FeedReceipts, 'feedId' | 'receipts'>;

function snapshotOf(
  { waits, countries, ...row }: SnapshotRow,
  receipts: ReadonlyMap<string, ReceiptTotals[]>,
): RunSnapshot {
  return {
    ...row,
    countries: countries.map(({ feedId, ...feed }) => ({ ...feed, receipts: receipts.get(feedId) ?? [] })),
    waits: (waits ?? []).map((wait) => ({
      ...wait,
      since: new Date(wait.since),
      nextTryAt: wait.nextTryAt === null ? null : new Date(wait.nextTryAt),
    })),
  };
}

/** Row of a group of failures. It has one sample of up to five users for each slot of the totals. */
type FailureGroupRow = Omit<Coded<FailureGroup>, 'sample'> & { samples: string[][] };

type FailureRow = Coded<RecordedFailure> & { feedId: string };

function failureOf({ feedId: _feed, ...row }: FailureRow): RecordedFailure {
  return { ...row, outcome: failureOutcome(row.outcome) };
}
