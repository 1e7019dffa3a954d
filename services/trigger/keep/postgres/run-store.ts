import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { usualBatchUsers } from '../../../../shared/domain/step/batch.ts';
import { defaultMinJudgedUsers, type Canary } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { StepTotals } from '../../../../shared/domain/step/outcomes.ts';
import { statesBefore, type TerminalRunState } from '../../../../shared/domain/run/run-states.ts';
import { nothingUnderWay } from '../../../../shared/domain/run/under-way.ts';
import { beforeLocalStart } from '../../../../shared/contracts/runs/feed-audience.ts';
import { audienceColumnsOf } from '../../../../shared/postgres/ledger/feed-audience.ts';
import { readShardRefusals } from '../../../../shared/postgres/registry/shard-refusals.ts';
import { plainArray, textArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import { readUnderWay } from '../../../../shared/postgres/ledger/under-way.ts';
import { notJudged } from '../../ports/run-approvals.ts';
import type { FlowCounts } from '../../ports/feed-store.ts';
import type {
  BudgetShortage,
  EndedUsers,
  FeedCount,
  FeedTally,
  ListedRuns,
  PausingRun,
  RunStore,
  RunTally,
  RunToPrepare,
  WaitingStep,
} from '../../ports/run-store.ts';
import { neededNone } from '../../../../shared/domain/approval/clearance.ts';
import { beginRetry } from '../../prepare/postgres/begin-retry.ts';
import * as pauses from './pause-statements.ts';
import * as endings from './run-end-statements.ts';
import * as statements from './run-statements.ts';

type TallyRow = Omit<RunTally, 'feeds' | 'failureBaseline' | 'pauseAtFailed' | 'canary'> &
  Omit<FeedTally, 'totals' | 'flow'> & {
    lines: (StepTotals & FlowCounts)[];
    /** By step, the number of users that had ended when the run was last resumed; null if no numbers are stored. */
    failureBaseline: Record<string, Omit<EndedUsers, 'step'>> | null;
    failedPercent: number | null;
    failedMinUsers: number | null;
    canary: Canary | null;
  };

/**
 * Timeout of the recount in milliseconds. Counting ten million users takes seconds, and minutes on a cold disk. The
 * usual statement timeout is shorter.
 */
const recountTimeoutMs = 600_000;

export function createRunStore({ pool }: { pool: Pool }): RunStore {
  return {
    isAnyOpen: async () => {
      const { rows } = await pool.query<{ isAny: boolean }>({ name: 'open-runs', text: statements.isAnyOpen });
      return rows[0]?.isAny === true;
    },
    toPrepare: async (limit, inHand) => (await pool.query<RunToPrepare>(statements.toPrepare, [limit, inHand])).rows,
    wait: async (runId, cause) => {
      await pool.query(statements.wait, [runId, cause]);
    },
    begin: async (runId, feeds, batchUsers = usualBatchUsers, { policy, approvalId } = neededNone) => {
      const audiences = feeds.map(({ audience }) => audienceColumnsOf(audience));
      const { rowCount } = await pool.query(
        statements.begin.with({
          runId,
          batchUsers,
          notItsTime: beforeLocalStart,
          feeds: feeds.map(() => uuidv7()),
          countries: feeds.map((feed) => feed.country),
          variants: feeds.map(({ variant = null }) => variant),
          segments: audiences.map(({ segment }) => segment),
          snapshots: audiences.map(({ snapshot }) => snapshot),
          estimates: audiences.map(({ estimate }) => estimate),
          audiences: audiences.map(({ audience }) => audience && JSON.stringify(audience)),
          startsAt: feeds.map(({ startsAt }) => startsAt ?? null),
          usersAtMost: feeds.map(({ usersAtMost }) => usersAtMost ?? null),
          canaryUsers: feeds.map(({ canaryUsers }) => canaryUsers ?? null),
          policy,
          approval: approvalId,
        }),
      );
      return rowCount === 1;
    },
    beginRetry: (runId, cleared = notJudged) =>
      inTransaction(pool, async (client) => {
        await client.query(`set local statement_timeout = ${recountTimeoutMs}`);
        return beginRetry(client, runId, cleared);
      }),
    tallies: (which) => talliesOf(pool, which),
    listRuns: async (since, reachMs) => {
      const values = [since, reachMs];
      const { rows } = await pool.query<ListedRuns>({ name: 'list-runs', text: statements.listRuns, values });
      const [listed] = rows;
      if (!listed) throw new Error('a listing of runs came back without a row');
      return listed;
    },
    waitingSteps: async (runIds) =>
      (await pool.query<WaitingStep>({ name: 'waiting-steps', text: statements.waitingSteps, values: [runIds] })).rows,
    refusals: () => readShardRefusals(pool),
    unpriced: async (runId) =>
      (await pool.query<{ cause: string }>({ name: 'unpriced-run', text: statements.unpriced, values: [runId] }))
        .rows[0]?.cause ?? null,
    shortages: async (runIds) =>
      (await pool.query<BudgetShortage>({ name: 'budget-shortages', text: statements.shortages, values: [runIds] }))
        .rows,
    show: async (figures) => {
      const params = {
        runs: plainArray(figures.map(({ runId }) => runId)),
        inFlight: plainArray(figures.map(({ inFlight }) => inFlight)),
        waiting: plainArray(figures.map(({ waiting }) => waiting)),
        causes: textArray(figures.map(({ waitingCause }) => waitingCause)),
      };
      await pool.query(statements.show.with(params));
    },
    end: (runId, decide) =>
      inTransaction(pool, async (client) => {
        await client.query(`set local statement_timeout = ${recountTimeoutMs}`);
        await client.query(endings.holdRun, [runId]);
        await client.query(endings.fence, [runId]);
        const [tally] = await talliesOf(client, [runId]);
        if (!tally) return null;
        const ending = decide(tally, await recount(client, tally));
        if (!ending) return null;
        return (await finish(client, runId, ending.state, ending.reason)) ? ending : null;
      }),
    pausing: async () => {
      const { rows } = await pool.query<Omit<PausingRun, 'underWay'>>({
        name: 'pausing-runs',
        text: pauses.pausing,
      });
      if (rows.length === 0) return [];
      const underWay = await readUnderWay(
        pool,
        rows.map(({ runId }) => runId),
      );
      return rows.map((row) => ({ ...row, underWay: underWay.get(row.runId) ?? nothingUnderWay }));
    },
    settlePause: async (runId) => (await pool.query(pauses.settlePause, [runId])).rowCount === 1,
    pauseFor: async (runId, cause) => (await pool.query(pauses.pauseFor, [runId, cause])).rowCount === 1,
    pauseForCanary: async (runId, cause) => (await pool.query(pauses.pauseForCanary, [runId, cause])).rowCount === 1,
    endCanary: async (runId, summary) => (await pool.query(pauses.endCanary, [runId, summary])).rowCount === 1,
    finish: (runId, state, reason) =>
      inTransaction(pool, async (client) => {
        await client.query(endings.fence, [runId]);
        return finish(client, runId, state, reason);
      }),
  };
}

async function talliesOf(connection: Pool | PoolClient, which: readonly string[] | 'over'): Promise<RunTally[]> {
  const query =
    which === 'over'
      ? { name: 'run-tallies-over', text: statements.talliesOver }
      : { name: 'run-tallies-of', text: statements.talliesOfRuns, values: [which] };
  const { rows } = await connection.query<TallyRow>(query);
  return [...Map.groupBy(rows, (row) => row.runId).values()].flatMap(tallyOf);
}

/** Counts one feed after the other. The feeds are locked, so a later count cannot invalidate an earlier one. */
async function recount(client: PoolClient, { feeds }: RunTally): Promise<FeedCount[]> {
  const counts: FeedCount[] = [];
  for (const { feedId } of feeds) {
    const query = { text: endings.recount, values: [feedId], query_timeout: recountTimeoutMs };
    const { rows } = await client.query<FeedCount>(query);
    counts.push(...rows);
  }
  return counts;
}

async function finish(
  client: PoolClient,
  runId: string,
  state: TerminalRunState,
  reason: string | null,
): Promise<boolean> {
  const { rowCount } = await client.query(endings.finish, [runId, state, reason, statesBefore(state)]);
  if (rowCount !== 1) return false;
  await client.query(endings.forgetSweep, [runId]);
  await client.query(endings.mergeTotals, [runId]);
  await client.query(endings.mergeFailureTotals, [runId]);
  return true;
}

function tallyOf(rows: TallyRow[]): RunTally[] {
  const [first] = rows;
  if (!first) return [];
  const { runId, campaignId, state, stateReason, chain, overdueMs, hasBudgets } = first;
  const feeds = rows.map(
    ({ feedId, country, fedUsers, heldOutUsers, canaryUsers, fedBatches, fromStep, complete, stalled, lines }) => {
      const totals = lines.map(({ step, batches, succeeded, failed, expired, cancelled, unknown, suppressed = 0 }) => {
        return { step, batches, succeeded, failed, expired, cancelled, unknown, suppressed };
      });
      const flow = chain.map((_, index) => {
        const { done, survived, created, waiting } = lines.find(({ step }) => step === index + 1) ?? noFlow;
        return { done, survived, created, waiting };
      });
      const fed = { fedUsers, heldOutUsers, canaryUsers, fedBatches };
      return { feedId, country, ...fed, fromStep, complete, stalled, totals, flow };
    },
  );
  const canary = first.canary && {
    maxFailedPercent: first.canary.maxFailedPercent ?? null,
    isChoice: first.canary.then === 'choose-variant',
  };
  const run = { runId, campaignId, state, stateReason, chain, overdueMs, hasBudgets, canary };
  return [{ ...run, feeds, ...judgementOf(first) }];
}

function judgementOf({ failureBaseline, failedPercent, failedMinUsers }: TallyRow) {
  const minUsers = failedMinUsers ?? defaultMinJudgedUsers;
  return {
    pauseAtFailed: failedPercent === null ? null : { percent: failedPercent, minUsers },
    failureBaseline: Object.entries(failureBaseline ?? {}).map(([step, judged]) => ({ step: Number(step), ...judged })),
  };
}

const noFlow: FlowCounts = { done: 0, survived: 0, created: 0, waiting: 0 };
