import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import { statesBefore } from '../../../shared/domain/run-states.ts';
import {
  UnknownRevisionError,
  type NewRun,
  type RunActivity,
  type RunStore,
  type RunTally,
  type RunToPrepare,
} from '../ports/run-store.ts';
import * as statements from './run-statements.ts';

type TallyRow = Omit<RunTally, 'feeds'> & RunTally['feeds'][number];

export function createRunStore({ pool }: { pool: Pool }): RunStore {
  return {
    create: async (run) => {
      const values = [uuidv7(), run.campaign, run.revision, run.scheduledFor];
      const { rows } = await pool.query<{ run: string }>(statements.create, values);
      const created = rows.at(0);
      return created ? { run: created.run, created: true } : { run: await find(pool, run), created: false };
    },
    toPrepare: async (limit) => (await pool.query<RunToPrepare>(statements.toPrepare, [limit])).rows,
    begin: async (run, feeds) => {
      const { rowCount } = await pool.query(statements.begin, [
        run,
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
      return [...Map.groupBy(rows, (row) => row.run).values()].flatMap(tallyOf);
    },
    observe: async (run) => {
      const { rows } = await pool.query<RunActivity>({ name: 'observe-run', text: statements.observe, values: [run] });
      return rows.at(0) ?? { inFlight: 0, waiting: 0, waitingCause: null };
    },
    recount: async (run) => {
      const { rows } = await pool.query<{ feed: string; totals: StepTotals[] }>(statements.recount, [run]);
      return rows;
    },
    finish: async (run, state, reason) => {
      const { rowCount } = await pool.query(statements.finish, [run, state, reason, statesBefore(state)]);
      return rowCount === 1;
    },
  };
}

async function find(pool: Pool, { campaign, revision, scheduledFor }: NewRun): Promise<string> {
  const { rows } = await pool.query<{ run: string }>(statements.find, [campaign, scheduledFor]);
  const found = rows.at(0);
  if (!found) throw new UnknownRevisionError(`cannot create a run: campaign ${campaign} has no revision ${revision}`);
  return found.run;
}

function tallyOf(rows: TallyRow[]): RunTally[] {
  const [first] = rows;
  if (!first) return [];
  const { run, campaign, chain, deadlinePassed } = first;
  const feeds = rows.map(({ feed, country, fedUsers, fedBatches, complete, stalled, totals }) => {
    return { feed, country, fedUsers, fedBatches, complete, stalled, totals };
  });
  return [{ run, campaign, chain, deadlinePassed, feeds }];
}
