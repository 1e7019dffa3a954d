import type { Pool } from 'pg';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { troubleEventKinds } from '../../../../shared/domain/run/run-events.ts';
import type { RunHistory, TroubleEvent } from '../../ports/run-history.ts';
import { notePoints, noteTroubles } from './history-statements.ts';

export function createRunHistory({ pool }: { pool: Pool }): RunHistory {
  return {
    notePoints: async (points) => {
      const params = {
        runs: plainArray(points.map(({ runId }) => runId)),
        ended: plainArray(points.map(({ ended }) => ended)),
      };
      return (await pool.query(notePoints.with(params))).rowCount ?? 0;
    },
    noteTroubles: async (runIds) => {
      const values = [[...troubleEventKinds], runIds];
      return (await pool.query<TroubleEvent>({ name: 'note-troubles', text: noteTroubles, values })).rows;
    },
  };
}
