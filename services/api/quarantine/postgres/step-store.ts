import type { CampaignScope } from '../../../../shared/domain/scopes.ts';
import { seenParamsOf } from '../../frame/postgres/seen-campaigns.ts';
import type { Pool } from 'pg';
import type { StepQuarantineState } from '../../../../shared/contracts/quarantine/steps.ts';
import { mayBeReplayed } from '../../../../shared/domain/run/quarantine.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import * as statements from './step-statements.ts';

export interface QuarantineFilter {
  runId?: string | undefined;
  action?: string | undefined;
  country?: string | undefined;
  state?: StepQuarantineState | undefined;
  /** Campaigns that the caller may see; undefined means all. */
  within?: CampaignScope | undefined;
}

/** Step whose calls repeatedly crashed their workers or exceeded their leases. Workers no longer call it. */
export interface QuarantinedStep {
  quarantineId: string;
  runId: string;
  runState: RunState;
  feedId: string;
  country: string;
  batchNo: number;
  step: number;
  actionType: string;
  state: StepQuarantineState;
  users: number;
  /** Number of leases that expired after a call had begun. */
  lapses: number;
  worker: string | null;
  since: Date;
  decidedAt: Date | null;
}

/** Call for the step that began, was lost or was answered. The beginning of the first call is not recorded. */
export interface QuarantineCall {
  at: Date;
  worker: string | null;
  /** Meaning of the answer, as in the history of a user. `lost` means that the lease expired without an answer. */
  reading: string;
  cause: string | null;
}

export interface StepGroupRow {
  actionType: string;
  country: string;
  items: number;
  users: number;
  runs: number;
  firstAt: Date;
  lastAt: Date;
}

export interface QuarantineDetail extends QuarantinedStep {
  calls: readonly QuarantineCall[];
  /** Some of the users whose outcome is unknown because of this step. */
  sample: readonly string[];
}

/**
 * Result of a replay.
 * - `replayed`: the step waits for a call, due now, with the same idempotency key.
 * - `decided`: a decision was made before, and it stays.
 * - `run-ended`: the run has ended and calls no more steps.
 * - `settled`: some of the step's users are no longer unknown.
 */
export type ReplayVerdict = 'replayed' | 'decided' | 'run-ended' | 'settled';

export type QuarantinedSteps = ReturnType<typeof createQuarantinedSteps>;

export function createQuarantinedSteps({ pool }: { pool: Pool }) {
  async function find(quarantineId: string, sample: number): Promise<QuarantineDetail | undefined> {
    const { rows } = await pool.query<DetailRow>(statements.selectQuarantinedStep, [quarantineId, sample]);
    const [row] = rows;
    return row && { ...row, calls: row.calls.map((call) => ({ ...call, at: new Date(call.at) })) };
  }

  return {
    /**
     * Returns steps, newest first; `cursor` is the id of the last step of the previous page.
     * @throws {InvalidCursorError} if the cursor is not an id
     */
    list: async (filter: QuarantineFilter, limit: number, cursor: string | null) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<QuarantinedStep>(
        statements.selectQuarantined.with({ ...paramsOf(filter), before: cursor, limit: limit + 1 }),
      );
      return pageOf(rows, limit, ({ quarantineId }) => quarantineId);
    },
    /** Returns groups of steps by action type and country, the largest group first. */
    groups: async (filter: QuarantineFilter) => {
      const { rows } = await pool.query<StepGroupRow>(statements.selectGroups.with(paramsOf(filter)));
      return rows;
    },
    /** Returns the number of steps without a decision, up to a limit. */
    countKept: async (within: CampaignScope, limit: number): Promise<number> => {
      const filter = paramsOf({ state: 'kept', within });
      const { rows } = await pool.query<{ items: number }>(statements.countSteps.with({ ...filter, limit }));
      return rows[0]?.items ?? 0;
    },
    find,
    /**
     * Makes the step pending again, with all its users, and its next call due now with the same idempotency key. From
     * that call on, a worker calls only one such step at a time (`aloneFromLapses`). The run must be running or paused.
     * Totals change in the same transaction. Returns undefined if the step does not exist.
     */
    replay: (quarantineId: string) =>
      inTransaction(pool, async (client): Promise<ReplayVerdict | undefined> => {
        const runs = await client.query<{ runState: RunState; isEnded: boolean }>(statements.lockRunOfStep, [
          quarantineId,
        ]);
        const steps = await client.query<{ state: string }>(statements.lockStep, [quarantineId]);
        const [[run], [step]] = [runs.rows, steps.rows];
        if (!step || !run) return undefined;
        if (step.state !== 'kept') return 'decided';
        if (run.isEnded || !mayBeReplayed(run.runState)) return 'run-ended';
        const { rowCount } = await client.query(statements.reopenStep, [quarantineId]);
        return rowCount === 1 ? 'replayed' : 'settled';
      }),
    /**
     * Discards the step, so that its users stay unknown. Returns the step afterwards, or undefined if it does not
     * exist.
     */
    discard: async (quarantineId: string): Promise<QuarantinedStep | undefined> => {
      await pool.query(statements.discardStep, [quarantineId]);
      return await find(quarantineId, 0);
    },
  };
}

function paramsOf({ runId, action, country, state, within }: QuarantineFilter): statements.FilterParams {
  const wanted = { runId: runId ?? null, action: action ?? null, country: country ?? null, state: state ?? null };
  return { ...wanted, ...seenParamsOf(within) };
}

/** Times inside JSON are strings. */
type DetailRow = Omit<QuarantineDetail, 'calls'> & { calls: (Omit<QuarantineCall, 'at'> & { at: string })[] };
