import type { Pool, PoolClient } from 'pg';
import { isTerminal } from '../../../../../shared/domain/run/run-states.ts';
import { nothingUnderWay } from '../../../../../shared/domain/run/under-way.ts';
import { judgeFrom } from '../../../../../shared/postgres/ledger/judge-from.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../../../shared/postgres/connection/transaction.ts';
import { readUnderWay } from '../../../../../shared/postgres/ledger/under-way.ts';
import type { RunChange, RunControl, RunEvent, RunEventEntry } from '../run-control.port.ts';
import type { RunHeader } from '../../run-reports.port.ts';
import { pageOf, requireIdCursor } from '../../../frame/postgres/pages.ts';
import { selectRun } from '../../postgres/run-report-statements.ts';

export function createRunControl({ pool }: { pool: Pool }): RunControl {
  return {
    change: (runId, decide) =>
      inTransaction(pool, async (client) => {
        await client.query('select from runs where id = $1 for update', [runId]);
        const run = await readRun(client, runId);
        if (!run) return undefined;
        const decision = decide(run);
        if (decision.change) await write(client, runId, decision.change);
        const after = decision.change ? await readRun(client, runId) : run;
        const underWay = (await readUnderWay(client, [runId])).get(runId);
        return { decision, run: after ?? run, underWay: underWay ?? nothingUnderWay };
      }),

    underWay: async (runId) => (await readUnderWay(pool, [runId])).get(runId) ?? nothingUnderWay,

    events: async (runId, limit, cursor) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<RunEvent>(selectEvents, [runId, limit + 1, cursor]);
      return pageOf(rows, limit, ({ eventId }) => eventId);
    },
  };
}

async function readRun(client: PoolClient, runId: string): Promise<RunHeader | undefined> {
  const { rows } = await client.query<RunHeader>(selectRun, [runId]);
  return rows[0];
}

async function write(client: PoolClient, runId: string, change: RunChange): Promise<void> {
  const { to, stateReason, settings = {}, deadlineAt, variant, judgeFromHere = false, events } = change;
  await client.query(
    updateRun.with({
      runId,
      to: to ?? null,
      isLast: to !== undefined && isTerminal(to),
      hasReason: stateReason !== undefined,
      reason: stateReason ?? null,
      settings: JSON.stringify(settings),
      deadlineAt: deadlineAt ?? null,
    }),
  );
  if (variant !== undefined) await client.query(setVariant, [runId, variant]);
  if (judgeFromHere) await client.query(judgeFrom, [runId]);
  for (const { kind, detail } of events) await client.query(insertEvent, eventValues(runId, { kind, detail }));
}

function eventValues(runId: string, { kind, detail }: RunEventEntry): string[] {
  return [runId, kind, JSON.stringify(detail)];
}

/** Parameters of an update. Null leaves a field unchanged, except for the reason, which may become null. */
interface RunUpdate {
  runId: string;
  to: string | null;
  isLast: boolean;
  hasReason: boolean;
  reason: string | null;
  settings: string;
  deadlineAt: Date | null;
}

const updateRun = statementOf<RunUpdate>(
  'control-run',
  ($) => `
  update runs set
    state = coalesce(${$('to')}, state),
    state_since = case when ${$('to')}::text is null or ${$('to')} = state then state_since else now() end,
    state_reason = case when ${$('hasReason')} then ${$('reason')} else state_reason end,
    settings = settings || ${$('settings')}::jsonb,
    -- Resuming a run that waits after its canary ends the canary.
    canary = case when ${$('to')} = 'running' and canary = 'waits' then 'over' else canary end,
    deadline_at = coalesce(${$('deadlineAt')}::timestamptz, deadline_at),
    ended_at = case when ${$('isLast')} then now() else ended_at end,
    waiting_cause = case when ${$('isLast')} then null else waiting_cause end,
    waiting_since = case when ${$('isLast')} then null else waiting_since end
  where id = ${$('runId')}`,
);

/** Sets the variant of the remaining feeds: they have no canary users, and no variant before the choice. */
const setVariant = `update feeds set variant = $2 where run = $1 and variant is null and canary_users = 0`;

const insertEvent = `insert into run_events (run, kind, detail) values ($1, $2, $3::jsonb)`;

/** Selects a page of events. Parameters: $1 run, $2 limit, $3 id of the last event of the previous page or null. */
const selectEvents = `
  select id as "eventId", at, kind, detail from run_events
  where run = $1 and ($3::uuid is null or id > $3) order by id limit $2`;
