import { Queue } from 'bullmq';
import { Logger, makeWorkerUtils } from 'graphile-worker';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { pino } from 'pino';
import { createAccepting } from '../../services/api/jobs/accept/accepting.ts';
import { acceptJob, acceptJobs } from '../../services/api/jobs/accept/accept-jobs.ts';
import { createFlushLane } from '../../services/api/jobs/accept/flush-lane.ts';
import { createClientFigures } from '../../services/api/clients/postgres/client-figures.ts';
import { readJob } from '../../services/api/jobs/accept/read-job.ts';
import { jobIdOf } from '../../shared/domain/job/job-ids.ts';
import { textArray } from '../../shared/postgres/array-literals.ts';
import { createClientSource } from '../../shared/postgres/clients.ts';
import { createJobIntake } from '../../shared/postgres/job-intake.ts';
import { createAcceptPool } from '../../shared/postgres/pool.ts';
import { createClientReader } from '../../shared/runtime/client-reader.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { addedClient, barePerStatement, delaySeconds, type AddedJob } from './added-jobs.ts';

/** Adds jobs that are due in a day, each under its key: a second one with the same key is not added. */
export interface Adder {
  /** Resolves when they are stored. One job: it shares a statement with those that come meanwhile, where the adder does that. */
  add(jobs: readonly AddedJob[]): Promise<void>;
  /** Throws away what earlier turns added. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export interface AdderServers {
  redisPort: number;
  /** A database of its own, with Muster's tables. */
  databaseUrl: string;
}

export const adders: Readonly<Record<string, (servers: AdderServers) => Promise<Adder>>> = {
  bare: openBare,
  muster: openMuster,
  bullmq: openBullMq,
  'pg-boss': openPgBoss,
  'graphile-worker': openGraphileWorker,
};

const bareTable = `
  create table bare_jobs (like jobs including defaults);
  alter table bare_jobs add primary key (partition_id, due_at, id);
  create unique index bare_jobs_by_id on bare_jobs (id)`;

const bareInsert = `
  insert into bare_jobs (partition_id, due_at, id, client, scheduled_for, key, method, url, headers, body)
  select get_byte(uuid_send(k.id), 15) % 64, now() + interval '1 day', k.id, $2::uuid, now() + interval '1 day', k.key,
    'POST', k.url, '{"content-type":"application/json"}', k.body
  from unnest($1::uuid[], $3::text[], $4::text[], $5::text[]) k (id, key, url, body)
  on conflict (id) do nothing returning id`;

/** The least that keeps a key from being stored twice: ids of keys, bodies as JSON, one statement for many. No ledger, no look at what has ended. */
async function openBare({ databaseUrl }: AdderServers): Promise<Adder> {
  const pool = new Pool({ connectionString: databaseUrl, max: 3 });
  await pool.query(bareTable);
  const flush = async (jobs: readonly AddedJob[]) => {
    const values = [
      `{${jobs.map(({ idempotencyKey }) => jobIdOf(addedClient.clientId, idempotencyKey)).join(',')}}`,
      addedClient.clientId,
      textArray(jobs.map(({ idempotencyKey }) => idempotencyKey)),
      textArray(jobs.map(({ url }) => url)),
      textArray(jobs.map(({ body }) => JSON.stringify(body))),
    ];
    const { rows } = await pool.query<{ id: string }>({ name: 'bare', text: bareInsert, values });
    if (rows.length !== jobs.length) throw new Error('a new key was there already');
    return jobs;
  };
  const lane = (inFlight: number) => createFlushLane({ maxItems: barePerStatement, inFlight, flush });
  const [singles, bulk] = [lane(1), lane(2)];
  return {
    add: async (jobs) => {
      await (jobs.length === 1 ? singles : bulk).add(jobs);
    },
    empty: async () => {
      await pool.query('truncate bare_jobs');
    },
    close: () => pool.end(),
  };
}

/** What the API does with a request, but for the request. */
async function openMuster({ databaseUrl }: AdderServers): Promise<Adder> {
  const logger = pino({ level: 'error' });
  const pool = createAcceptPool({ connectionString: databaseUrl, applicationName: 'bench', logger });
  const { clientId, name, definition } = addedClient;
  await pool.query('insert into clients (id, name, definition) values ($1, $2, $3)', [clientId, name, definition]);
  const clients = createClientReader({ clients: createClientSource({ pool }), clock: systemClock, logger });
  await clients.refresh();
  const accepting = createAccepting({
    ...{ clients, intake: createJobIntake({ pool }), figures: createClientFigures({ pool }) },
    ...{ owner: 'bench', clock: systemClock, logger },
  });
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1) await acceptJob(readJob(only, name), accepting);
      else {
        const results = await acceptJobs({ values: jobs, client: name, pointerAt: String }, accepting);
        if (results.some(({ status }) => status !== 'accepted')) throw new Error('not all were accepted');
      }
    },
    empty: async () => {
      await pool.query('truncate jobs');
    },
    close: () => pool.end(),
  };
}

async function openBullMq({ redisPort }: AdderServers): Promise<Adder> {
  const queue = new Queue<AddedJob>('jobs', {
    connection: { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null },
  });
  await queue.waitUntilReady();
  const optionsOf = ({ idempotencyKey }: AddedJob) => ({ jobId: idempotencyKey, delay: delaySeconds * 1000 });
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1 && only) await queue.add('call', only, optionsOf(only));
      else await queue.addBulk(jobs.map((data) => ({ name: 'call', data, opts: optionsOf(data) })));
    },
    empty: () => queue.obliterate({ force: true }),
    close: () => queue.close(),
  };
}

/** A job's id is its key: a second one with the same id is not inserted. */
async function openPgBoss({ databaseUrl }: AdderServers): Promise<Adder> {
  const boss = new PgBoss({ connectionString: databaseUrl, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('jobs', { partition: true });
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1 && only)
        await boss.send('jobs', only, { id: only.idempotencyKey, startAfter: delaySeconds });
      else {
        const rows = jobs.map((data) => ({ id: data.idempotencyKey, data, startAfter: delaySeconds }));
        await boss.insert('jobs', rows);
      }
    },
    empty: async () => {
      await boss.deleteAllJobs('jobs');
    },
    close: () => boss.stop({ graceful: false }),
  };
}

async function openGraphileWorker({ databaseUrl }: AdderServers): Promise<Adder> {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const utils = await makeWorkerUtils({ pgPool: pool, logger: new Logger(() => () => undefined) });
  await utils.migrate();
  const specOf = ({ idempotencyKey }: AddedJob) => ({
    jobKey: idempotencyKey,
    runAt: new Date(Date.now() + delaySeconds * 1000),
  });
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1 && only) await utils.addJob('call', only, specOf(only));
      else await utils.addJobs(jobs.map((payload) => ({ identifier: 'call', payload, ...specOf(payload) })));
    },
    empty: async () => {
      await pool.query('truncate graphile_worker._private_jobs');
    },
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}
