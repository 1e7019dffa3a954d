import type { Pool, QueryResultRow } from 'pg';
import { failureOutcome, stepState } from '../../shared/postgres/ledger/ledger-codes.ts';
import type {
  AgendaEntry,
  Damage,
  ExecutionRows,
  FailureTotal,
  Hold,
  StepCause,
  StoredStep,
} from './conformance/execution-rows.ts';

export function createPostgresExecutionRows({ pool }: { pool: Pool }): ExecutionRows {
  async function rowsOf<Row extends QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await pool.query<Row>(text, values)).rows;
  }

  return {
    step: async ({ feedId, batchNo, step }) => {
      const [row] = await rowsOf<Omit<StoredStep, 'state'> & { state: number }>(
        `select state, owner, epoch, attempts, open, lapses, begun from batch_steps where (feed, batch_no, step) = ($1, $2, $3)`,
        feedId,
        batchNo,
        step,
      );
      return row && { ...row, state: stateOf(row.state) };
    },
    flow: (feedId) =>
      rowsOf(
        `select step, sum(done)::int as done, sum(survived)::int as survived, sum(created)::int as created,
          sum(waiting)::int as waiting,
           sum(refused)::int as refused from run_totals where feed = $1 group by step order by step`,
        feedId,
      ),
    agenda: (feedId) =>
      rowsOf<AgendaEntry>(
        `select batch_no as "batchNo", step, round(extract(epoch from offer_at - now()))::int as "inSeconds", offers
         from agenda where feed = $1 order by batch_no, step`,
        feedId,
      ),
    failureTotals: async (feedId) => {
      const rows = await rowsOf<Omit<FailureTotal, 'outcome'> & { outcome: number }>(
        `select step, outcome, reason, sum(users)::int as users,
           (select array_agg(user_id order by slot, place) from failure_totals s,
             unnest(s.sample) with ordinality u (user_id, place)
            where (s.feed, s.step, s.outcome, s.reason) = (t.feed, t.step, t.outcome, t.reason)) as sample
         from failure_totals t where feed = $1 group by feed, step, outcome, reason
           order by step, outcome, reason collate "C"`,
        feedId,
      );
      return rows.map((row) => ({ ...row, outcome: failureOutcome(row.outcome) }));
    },
    failureAttempts: (feedId) =>
      rowsOf(`select user_id as "user", attempts from user_failures where feed = $1 order by user_id`, feedId),
    causes: (feedId) =>
      rowsOf<StepCause>(
        `select step, cause, batches, round(extract(epoch from now() - since))::int as "sinceSeconds"
         from step_causes where feed = $1 order by step, cause collate "C"`,
        feedId,
      ),
    holds: (feedId) =>
      rowsOf<Hold>(
        `select step, kind, cause, batches, round(extract(epoch from now() - since))::int as "sinceSeconds"
         from holds where feed = $1 order by step, kind`,
        feedId,
      ),
    damage: async (feedId, damage) => {
      for (const text of damages[damage]) await pool.query(text, [feedId]);
    },
    mark: async (feedId, step) => {
      const [row] = await rowsOf<{ below: number }>(
        'select below from sweep_marks where feed = $1 and step = $2',
        feedId,
        step,
      );
      return row?.below ?? 1;
    },
  };
}

function stateOf(code: number): StoredStep['state'] {
  if (code === stepState.running) return 'running';
  return code === stepState.waiting ? 'waiting' : 'done';
}

const damages: Record<Damage, readonly string[]> = {
  'totals-drifted': [
    `insert into run_totals as t (feed, step, slot, succeeded, waiting) values ($1, 1, 9, 7, 2)
     on conflict (feed, step, slot) do update set succeeded = t.succeeded + 7, waiting = t.waiting + 2`,
  ],
  'settled-drifted': [
    `insert into run_totals as t (feed, step, slot, settled_succeeded, settled_failed) values ($1, 1, 9, 3, 4)
     on conflict (feed, step, slot) do update set settled_succeeded = t.settled_succeeded + 3,
       settled_failed = t.settled_failed + 4`,
  ],
  'totals-lost': ['delete from run_totals where feed = $1'],
  'failure-totals-lost': ['delete from failure_totals where feed = $1'],
  'fed-users-drifted': ['update feeds set fed_users = fed_users + 5 where feed = $1'],
  'agenda-lost': [
    'delete from agenda where feed = $1',
    `insert into sweep_marks as m (feed, step, below) values ($1, 2, 1000) on conflict (feed, step) do update set below = 1000`,
  ],
};
