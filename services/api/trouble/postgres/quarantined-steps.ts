import type { Pool } from 'pg';
import { mayBeReplayed } from '../../../../shared/domain/step/quarantine.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { QuarantineCall, QuarantineDetail, QuarantinedStep, QuarantinedSteps } from '../quarantined-steps.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import * as statements from './quarantine-statements.ts';

export function createQuarantinedSteps({ pool }: { pool: Pool }): QuarantinedSteps {
  async function find(quarantineId: string, sample: number): Promise<QuarantineDetail | undefined> {
    const { rows } = await pool.query<DetailRow>(statements.selectQuarantinedStep, [quarantineId, sample]);
    const [row] = rows;
    return row && { ...row, calls: row.calls.map((call) => ({ ...call, at: new Date(call.at) })) };
  }

  return {
    list: async ({ runId, state }, limit, cursor) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<QuarantinedStep>(statements.selectQuarantined, [
        ...[limit + 1, runId ?? null, state ?? null, cursor],
      ]);
      return pageOf(rows, limit, ({ quarantineId }) => quarantineId);
    },
    find,
    replay: (quarantineId) =>
      inTransaction(pool, async (client) => {
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
    discard: async (quarantineId) => {
      await pool.query(statements.discardStep, [quarantineId]);
      return await find(quarantineId, 0);
    },
  };
}

/** Times inside of JSON are texts. */
type DetailRow = Omit<QuarantineDetail, 'calls'> & { calls: (Omit<QuarantineCall, 'at'> & { at: string })[] };
