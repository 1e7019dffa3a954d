import pg, { type Pool } from 'pg';
import { expect, it } from 'vitest';
import { createClientCredit } from '../../services/scheduler/offer/client-credit.ts';
import { createBackloggedClients } from '../../services/scheduler/offer/backlogged-clients.ts';
import { offerBacklogged } from '../../services/scheduler/offer/offer-backlogged.ts';
import { createMarks } from '../../services/scheduler/offer/marks.ts';
import { scanDue, type ScanDeps } from '../../services/scheduler/offer/offer-due.ts';
import { createRecentOffers } from '../../services/scheduler/offer/recent-offers.ts';
import { createPeekSize } from '../../services/scheduler/offer/peek-size.ts';
import { createSweptJobs } from '../../services/scheduler/offer/swept-jobs.ts';
import { createDueReferences } from '../../services/scheduler/postgres/due-references.ts';
import { firstMark } from '../../services/scheduler/ports/due-references.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import type { JobReference } from '../../shared/domain/job/job-key.ts';
import { bandOf } from '../../shared/domain/job/priority-bands.ts';
import { clientIdOf } from '../support/conformance/job-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { rowsReadOf, type ExplainedRow } from '../support/rows-read.ts';

const database = databaseForFile(createHotPathPool);
const [clients, jobsOfClient, crowdJobs] = [1000, 8, 20_000];
const crowd = clientIdOf(0);

/** Adds jobs of all clients between the jobs of the crowd, in all partitions. */
async function addJobs(): Promise<void> {
  const insert = (count: number, client: string) =>
    database.pool.query(
      `insert into jobs (partition_id, due_at, id, client, scheduled_for, method, url)
       select get_byte(uuid_send(id), 15) % 64, now() - interval '9 s' + random() * interval '1 s', id, ${client},
         now(), 'POST', ''
       from (select n, gen_random_uuid() as id from generate_series(0, $1::int4 - 1) n) k`,
      [count],
    );
  await insert(crowdJobs, `'${crowd}'::uuid`);
  const others = Array.from({ length: clients }, (_, nth) => clientIdOf(nth + 1));
  await insert(clients * jobsOfClient, `('{${others.join(',')}}'::uuid[])[1 + n % ${clients}]`);
  await database.pool.query('analyze jobs, job_claims');
}

/**
 * Returns a pool that explains each statement before it runs, and counts the rows of jobs that the statement reads. The
 * plan is made without values, as in the product: with a known limit, Postgres might sort the few hundred rows of a
 * test partition instead of reading them in order.
 */
function countedPool(): { pool: Pool; takeRows: () => number } {
  let rows = 0;
  const query = async (requested: { text: string; values?: unknown[] }) => {
    const client = await database.pool.connect();
    try {
      await client.query(`prepare counted as ${requested.text}`);
      const values = (requested.values ?? []).map((value) => pg.escapeLiteral(String(value))).join();
      const counted = values === '' ? 'counted' : `counted(${values})`;
      const { rows: explained } = await client.query<ExplainedRow>(
        `explain (analyze, format json, timing off) execute ${counted}`,
      );
      await client.query('deallocate counted');
      rows += rowsReadOf(explained[0]?.['QUERY PLAN'][0]?.Plan);
    } finally {
      client.release();
    }
    return await database.pool.query(requested);
  };
  const pool = new Proxy(database.pool, {
    get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name)),
  });
  const takeRows = () => {
    const taken = rows;
    rows = 0;
    return taken;
  };
  return { pool, takeRows };
}

it('with a thousand backlogged clients, a scheduler reads only new jobs and due jobs', async () => {
  await database.empty();
  await addJobs();
  const { pool, takeRows } = countedPool();
  const [marks, backlogged, outbox] = [createMarks(), createBackloggedClients(), new Array<JobReference>()];
  marks.own(Array.from({ length: 64 }, (_, partition) => partition));
  const credit = createClientCredit({ rateOf: () => undefined, share: () => 1 });
  const read: ScanDeps = {
    due: createDueReferences({ pool }),
    marks,
    backlogged,
    credit,
    outbox,
    lately: createRecentOffers(),
    peekSize: createPeekSize(),
    swept: createSweptJobs(),
  };
  const give = (toAnyClient: number) =>
    credit.refresh([{ owner: 'd', toAnyClient, toClients: new Map([[crowd, 0]]) }], 1000);
  give(0);
  while ((await scanDue(read, 0, 0)).found > 0);
  expect(backlogged.size).toBe(clients + 1);
  expect(takeRows()).toBeLessThan((crowdJobs + clients * jobsOfClient) * 1.1);
  for (let reads = 0; reads < 10; reads++) await scanDue(read, 0, 0);
  expect(takeRows()).toBe(0);

  give(100);
  while (await offerBacklogged(read, 0));
  expect(new Set(outbox.map(({ jobId }) => jobId)).size).toBe(clients * jobsOfClient);
  expect(outbox).toHaveLength(clients * jobsOfClient);
  expect(takeRows()).toBeLessThan(clients * jobsOfClient * 1.1);
  expect(backlogged.size).toBe(1);
});

it('a sweep does not compare each row with every client that is backlogged', async () => {
  await database.empty();
  let plan = '';
  const query = async ({ text, values }: { text: string; values?: unknown[] }) => {
    const explained = await database.pool.query<{ 'QUERY PLAN': string }>(`explain (verbose) ${text}`, values);
    plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
    return { rows: [] };
  };
  const pool = new Proxy(database.pool, {
    get: (target, name): unknown => (name === 'query' ? query : Reflect.get(target, name)),
  });
  const some = [clientIdOf(1), bandOf(clientIdOf(2), 'high')];
  const skippedBands = new Map([...some.map((band) => [band, 2n] as const), [clientIdOf(3), -1n]]);
  const until = { dueUs: 4e15, jobId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const ranges = [1, 2].map((partition) => ({ partition, after: firstMark, until }));
  await createDueReferences({ pool }).sweep(ranges, skippedBands, 2000);
  // Three lists are hashed: bands in all partitions, bands in some, and bands of another priority.
  expect(new Set(plan.match(/hashed SubPlan \d+/g)).size).toBe(3);
  expect(plan).not.toContain('array_position');
});
