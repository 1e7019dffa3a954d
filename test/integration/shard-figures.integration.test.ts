import { segmentAlone } from '../../shared/contracts/runs/feed-audience.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ShardReports } from '../../services/worker/report/shard-reports.port.ts';
import {
  claimOne,
  createRun,
  doneOf,
  record,
  startFedRun,
  startRun,
  waitingOf,
  type ExecutionSubject,
} from '../support/conformance/execution-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';
import { createShardReports } from '../../services/worker/report/postgres/shard-reports.ts';
import {
  createShardFigures,
  type ShardFigures,
} from '../../services/api/installation/shards/postgres/shard-figures.ts';

interface ShardFiguresSubject extends ExecutionSubject {
  shardReports: ShardReports;
  figures: ShardFigures;
  /** Makes all reports older. */
  ageReports: (ms: number) => Promise<void>;
}

const shardOf = (country: string) => ({ actionType: 'award-reward', country });
const busy = { inFlight: 3, callLimit: 8, waiting: 2, breakerOpen: false, batchesPerSecond: 12.5, refusal: null };
const chain = ['award-reward', 'send-message'].map((action) => ({ action, params: {} }));

const database = databaseForFile();

async function makeSubject(): Promise<ShardFiguresSubject> {
  await database.empty();
  const { pool } = database;
  const age = `update shard_reports set reported_at = reported_at - $1 * interval '1 ms'`;
  return {
    ...createPostgresExecutionStores({ pool, passTime: () => Promise.resolve() }),
    shardReports: createShardReports({ pool }),
    figures: createShardFigures({ pool }),
    ageReports: async (ms) => void (await pool.query(age, [ms])),
  };
}

describe('shard figures', () => {
  let subject: ShardFiguresSubject;
  beforeEach(async () => {
    subject = await makeSubject();
  });

  it('contain the last report of each worker for each of its shards', async () => {
    await subject.shardReports.report('a', [
      { ...shardOf('SG'), ...busy },
      { ...shardOf('ID'), ...busy },
    ]);
    await subject.shardReports.report('a', [{ ...shardOf('SG'), ...busy, inFlight: 7, breakerOpen: true }]);
    await subject.shardReports.report('b', [{ ...shardOf('SG'), ...busy }]);
    const reported = await subject.figures.reports();
    expect(reported).toHaveLength(3);
    expect(reported).toContainEqual({ worker: 'a', ...shardOf('SG'), ...busy, inFlight: 7, breakerOpen: true });
    expect(reported).toContainEqual({ worker: 'a', ...shardOf('ID'), ...busy });
    expect(reported).toContainEqual({ worker: 'b', ...shardOf('SG'), ...busy });
  });

  it('contain the reason why no worker can serve a shard', async () => {
    const refused = (country: string, refusal: string) => ({ ...shardOf(country), ...busy, refusal });
    await subject.shardReports.report('a', [refused('SG', 'slow'), refused('ID', 'slow')]);
    await subject.shardReports.report('b', [refused('SG', 'slow'), { ...shardOf('ID'), ...busy }]);
    expect(await subject.runs.refusals()).toEqual([{ ...shardOf('SG'), cause: 'slow' }]);
    await subject.ageReports(61_000);
    expect(await subject.runs.refusals()).toEqual([]);
  });

  it('omit a worker that was silent for a minute, and withdrawn shards', async () => {
    const both = [
      { ...shardOf('SG'), ...busy },
      { ...shardOf('ID'), ...busy },
    ];
    await subject.shardReports.report('dead', both);
    await subject.ageReports(61_000);
    await subject.shardReports.report('left', both);
    await subject.shardReports.report('alive', both);
    await subject.shardReports.withdraw('left');
    await subject.shardReports.withdraw('alive', [shardOf('ID')]);
    expect(await subject.figures.reports()).toEqual([{ worker: 'alive', ...shardOf('SG'), ...busy }]);
  });

  it('contain the ready, delayed and upcoming batches of running runs', async () => {
    const { steps } = await startFedRun(subject, [['a'], ['b'], ['c'], ['d']], { countries: ['SG'], chain });
    const [first, second] = steps;
    if (!first || !second) throw new Error('nothing was fed');
    const ledger = subject.ledgerOf('a');
    await record(ledger, doneOf(await claimOne(ledger, first)));
    await record(ledger, waitingOf(await claimOne(ledger, second)));

    expect((await subject.figures.work()).toSorted((a, b) => (a.actionType < b.actionType ? -1 : 1))).toEqual([
      { actionType: 'award-reward', country: 'SG', ready: 2, waiting: 1, ahead: 2, paced: 0 },
      { actionType: 'send-message', country: 'SG', ready: 1, waiting: 0, ahead: 3, paced: 0 },
    ]);
  });

  it('count unfed batches as upcoming, by the estimate and the batch size of the run', async () => {
    const { runId } = await startRun(subject, { countries: ['SG'], chain, name: 'whole' });
    await subject.runs.finish(runId, 'cancelled', null);
    const { runId: estimated } = await createRun(subject, { countries: ['SG'], chain });
    const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: 1001 });
    await subject.runs.begin(estimated, [{ country: 'SG', audience }], 250);

    expect((await subject.figures.work()).map(({ ready, ahead }) => [ready, ahead])).toEqual([
      [0, 5],
      [0, 5],
    ]);
  });
});
