import { v7 as uuidv7 } from 'uuid';
import { failureCode } from '../../shared/postgres/ledger/ledger-codes.ts';
import { failureTotalsAdded } from '../../shared/postgres/ledger/totals-sql.ts';
import { emptyFeed, laterThan, someFailure, type RunRows } from './conformance/run-rows.ts';

interface Queryable {
  query(text: string, values: unknown[]): Promise<unknown>;
}

export function createPostgresRunRows({ pool }: { pool: Queryable }): RunRows {
  return {
    addRun: async (seed) => {
      const runId = uuidv7();
      await pool.query(
        `insert into runs (id, campaign, revision, scheduled_for, state, state_reason, deadline_at, started_at,
          ended_at, in_flight,
           waiting, waiting_cause, waiting_since, state_since, settings, parent, kind, canary)
         values ($1, $2, $3, $4, $5, $6, $12, $7, $8, $9, $10, $11, case when $11::text is not null then now() end,
           coalesce($13::timestamptz, now()), $14, $15, $16, $17)`,
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
          seed.deadlineAt ?? laterThan(seed),
          seed.stateSince,
          JSON.stringify(seed.settings ?? {}),
          seed.parentId ?? null,
          seed.kind ?? 'live',
          seed.canary ?? null,
        ],
      );
      return runId;
    },

    addFeed: async (runId, seed) => {
      const feedId = uuidv7(seed.createdAt && { msecs: seed.createdAt.getTime() });
      const {
        country,
        variant,
        canaryUsers,
        segment,
        estimate,
        fedUsers,
        fedBatches,
        complete,
        stalled,
        heldOutUsers,
        excludedUsers,
      } = {
        ...emptyFeed,
        ...seed,
      };
      await pool.query(
        `insert into feeds (feed, run, country, segment, snapshot, estimate, fed_users, next_batch_no, complete,
          stalled, held_out_users, excluded_users, variant, canary_users)
         values ($1, $2, $3, $11, 's1', $4, $5, $6, $7, $8, $9, $10, $12, $13)`,
        [
          ...[feedId, runId, country, estimate, fedUsers, fedBatches + 1, complete, stalled],
          ...[heldOutUsers, excludedUsers, segment, variant, canaryUsers],
        ],
      );
      return feedId;
    },

    addTotals: async (feedId, slot, { step, ...totals }) => {
      const columns = Object.keys(totals);
      const places = columns.map((_, index) => `$${index + 4}`);
      const sums = columns.map((column) => `${column} = t.${column} + excluded.${column}`);
      await pool.query(
        `insert into run_totals as t (feed, step, slot, ${columns.join(', ')}) values ($1, $2, $3, ${places.join(', ')})
         on conflict (feed, step, slot) do update set ${sums.join(', ')}`,
        [feedId, step, slot, ...Object.values(totals)],
      );
    },

    addHold: async (feedId, { step, kind = 'fault', cause, batches, ageMs }) => {
      await pool.query(
        `insert into holds (feed, step, kind, cause, batches, since, next_try_at, until)
         select $1, $2, $3, $4, $5, now() - $6 * interval '1 ms', coalesce(ends_at, now()), ends_at
         from (select case when $3 = 'quiet-hours' then now() + interval '1 hour' end as ends_at) e`,
        [feedId, step, kind, cause, batches, ageMs],
      );
    },

    addOpenBreaker: async (runId, { step, country, cause }) => {
      await pool.query(
        `insert into run_problems (run, kind, step, country, cause, since) values ($1, 'breaker', $2, $3, $4, now())`,
        [runId, step, country, cause],
      );
    },

    addCause: async (feedId, { step, cause, batches, ageMs, quietMs }) => {
      await pool.query(
        `insert into step_causes (feed, step, cause, batches, since, last_at)
         values ($1, $2, $3, $4, now() - $5 * interval '1 ms', now() - $6 * interval '1 ms')`,
        [feedId, step, cause, batches, ageMs, quietMs],
      );
    },

    addFailure: async (feedId, failure) => {
      const { user, batchNo, step, outcome, reason, detail, attempts } = { ...someFailure, ...failure };
      const slot = '0';
      await pool.query(
        `with f as (
           insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
           values ($1, $2, $3, $4, $5, $6, $7, $8) returning feed, batch_no, step, user_id, outcome, reason
         ) ${failureTotalsAdded('f', slot)}`,
        [feedId, batchNo, step, user, failureCode[outcome], reason, detail, attempts],
      );
    },
  };
}
