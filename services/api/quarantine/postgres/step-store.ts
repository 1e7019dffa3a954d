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
  /** Campaigns that the caller may see; undefined: all. */
  within?: CampaignScope | undefined;
}

/**
 * A step whose calls ended their workers again and again, or took longer than their leases: no worker calls for it any
 * more.
 */
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
  /** Whose outcome became unknown. */
  users: number;
  /** Leases that lapsed with a call begun. */
  lapses: number;
  /** Of its last lease. */
  worker: string | null;
  since: Date;
  decidedAt: Date | null;
}

/** A call that began for the step, or was lost or answered, as far as it was noted: the first one is not. */
export interface QuarantineCall {
  at: Date;
  /** Null where it was not noted. */
  worker: string | null;
  /** As in a user's history; `lost`: the lease lapsed. */
  reading: string;
  cause: string | null;
}

export interface StepGroupRow {
  actionType: string;
  country: string;
  items: number;
  /** Whose outcome became unknown. */
  users: number;
  runs: number;
  firstAt: Date;
  lastAt: Date;
}

export interface QuarantineDetail extends QuarantinedStep {
  calls: readonly QuarantineCall[];
  /** The first of those whose outcome is unknown by it. */
  sample: readonly string[];
}

/**
 * - `replayed`: it waits to be called again, now, with the same key.
 * - `decided`: a person has decided before; it stays so.
 * - `run-ended`: work of its run does not start any more. `settled`: some of its users are not unknown any more.
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
     * Newest first; `cursor` is the id of the last one of the page before.
     * @throws {InvalidCursorError} when it is no id
     */
    list: async (filter: QuarantineFilter, limit: number, cursor: string | null) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<QuarantinedStep>(
        statements.selectQuarantined.with({ ...paramsOf(filter), before: cursor, limit: limit + 1 }),
      );
      return pageOf(rows, limit, ({ quarantineId }) => quarantineId);
    },
    /** By action type and country, the largest first. */
    groups: async (filter: QuarantineFilter) => {
      const { rows } = await pool.query<StepGroupRow>(statements.selectGroups.with(paramsOf(filter)));
      return rows;
    },
    find,
    /**
     * Opens the step again: its users are pending instead of unknown, and it waits to be called, now, under the same
     * key, which is open. It is a suspect from its first call on. Only while the run goes on or is paused, and whole:
     * totals change in the same transaction. Undefined when there is none.
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
    /** Says that it was seen. Its users stay unknown. Returns it as it is then; undefined when there is none. */
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

/** Times inside of JSON are texts. */
type DetailRow = Omit<QuarantineDetail, 'calls'> & { calls: (Omit<QuarantineCall, 'at'> & { at: string })[] };
