import { v7 as uuidv7 } from 'uuid';
import { firstChildBatchNo } from '../../shared/domain/batch.ts';
import { failureCode } from '../../shared/postgres/ledger-codes.ts';
import { emptyFeed, emptyTotals, someFailure, type RunRows } from './conformance/run-rows.ts';

interface Queryable {
  query(text: string, values: unknown[]): Promise<unknown>;
}

export function createPostgresRunRows({ pool }: { pool: Queryable }): RunRows {
  return {
    addRun: async (seed) => {
      const runId = uuidv7();
      await pool.query(
        `insert into runs (id, campaign, revision, scheduled_for, state, state_reason, deadline_at, started_at, ended_at, in_flight,
           waiting, waiting_cause)
         values ($1, $2, $3, $4, $5, $6, 'infinity', $7, $8, $9, $10, $11)`,
        [
          runId,
          seed.campaignId,
          seed.revision,
          seed.scheduledFor,
          seed.state,
          seed.stateReason,
          seed.startedAt,
          seed.endedAt,
          seed.inFlight ?? 0,
          seed.waiting ?? 0,
          seed.waitingCause,
        ],
      );
      return runId;
    },

    addFeed: async (runId, seed) => {
      const feedId = uuidv7();
      const { country, estimate, fedUsers, fedBatches, childBatches, complete, stalled } = { ...emptyFeed, ...seed };
      await pool.query(
        `insert into feeds (feed, run, country, segment, snapshot, estimate, fed_users, next_batch_no, next_child_no, complete, stalled)
         values ($1, $2, $3, 'all', 's1', $4, $5, $6, $7, $8, $9)`,
        [
          feedId,
          runId,
          country,
          estimate,
          fedUsers,
          fedBatches + 1,
          firstChildBatchNo + childBatches,
          complete,
          stalled,
        ],
      );
      return feedId;
    },

    addTotals: async (feedId, slot, totals) => {
      const { step, batches, succeeded, failed, expired, cancelled, unknown } = { ...emptyTotals, ...totals };
      await pool.query(
        `insert into run_totals as t (feed, step, slot, batches, succeeded, failed, expired, cancelled, unknown)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (feed, step, slot) do update set batches = t.batches + excluded.batches,
           succeeded = t.succeeded + excluded.succeeded, failed = t.failed + excluded.failed,
           expired = t.expired + excluded.expired, cancelled = t.cancelled + excluded.cancelled,
           unknown = t.unknown + excluded.unknown`,
        [feedId, step, slot, batches, succeeded, failed, expired, cancelled, unknown],
      );
    },

    addFailure: async (feedId, failure) => {
      const { user, batchNo, step, outcome, reason, detail, attempts } = { ...someFailure, ...failure };
      await pool.query(
        `insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [feedId, batchNo, step, user, failureCode[outcome], reason, detail, attempts],
      );
    },
  };
}
