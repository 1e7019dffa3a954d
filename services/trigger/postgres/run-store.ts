import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import { statesBefore } from '../../../shared/domain/run-states.ts';
import type { RunActivity, RunStore, RunTally, RunToPrepare } from '../ports/run-store.ts';
import * as statements from './run-statements.ts';

type TallyRow = Omit<RunTally, 'feeds'> & RunTally['feeds'][number];

export function createRunStore({ pool }: { pool: Pool }): RunStore {
  return {
    toPrepare: async (limit, inHand) => (await pool.query<RunToPrepare>(statements.toPrepare, [limit, inHand])).rows,
    wait: async (runId, cause) => {
      await pool.query(statements.wait, [runId, cause]);
    },
    begin: async (runId, feeds) => {
      const { rowCount } = await pool.query(statements.begin, [
        runId,
        feeds.map(() => uuidv7()),
        feeds.map((feed) => feed.country),
        feeds.map((feed) => feed.segment),
        feeds.map((feed) => feed.snapshot),
        feeds.map((feed) => feed.estimate),
      ]);
      return rowCount === 1;
    },
    tallies: async () => {
      const { rows } = await pool.query<TallyRow>({ name: 'run-tallies', text: statements.tallies });
      return [...Map.groupBy(rows, (row) => row.runId).values()].flatMap(tallyOf);
    },
    observe: async (runId) => {
      const { rows } = await pool.query<RunActivity>({
        name: 'observe-run',
        text: statements.observe,
        values: [runId],
      });
      return rows.at(0) ?? { inFlight: 0, waiting: 0, waitingCause: null };
    },
    recount: async (runId) => {
      const { rows } = await pool.query<{ feedId: string; totals: StepTotals[] }>(statements.recount, [runId]);
      return rows;
    },
    finish: async (runId, state, reason) => {
      const { rowCount } = await pool.query(statements.finish, [runId, state, reason, statesBefore(state)]);
      return rowCount === 1;
    },
  };
}

function tallyOf(rows: TallyRow[]): RunTally[] {
  const [first] = rows;
  if (!first) return [];
  const { runId, campaignId, chain, deadlinePassed } = first;
  const feeds = rows.map(({ feedId, country, fedUsers, fedBatches, complete, stalled, totals }) => {
    return { feedId, country, fedUsers, fedBatches, complete, stalled, totals };
  });
  return [{ runId, campaignId, chain, deadlinePassed, feeds }];
}
