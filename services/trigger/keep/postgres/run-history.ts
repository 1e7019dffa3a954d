import type { Pool } from 'pg';
import { troubleEventKinds } from '../../../../shared/domain/run/run-events.ts';
import type { RunHistory, TroubleEvent } from '../run-history.port.ts';
import { notePoints, noteTroubles } from './history-statements.ts';

export function createRunHistory({ pool }: { pool: Pool }): RunHistory {
  return {
    notePoints: async (runIds) =>
      (await pool.query({ name: 'note-points', text: notePoints, values: [runIds] })).rowCount ?? 0,
    noteTroubles: async (runIds) => {
      const values = [[...troubleEventKinds], runIds];
      return (await pool.query<TroubleEvent>({ name: 'note-troubles', text: noteTroubles, values })).rows;
    },
  };
}
