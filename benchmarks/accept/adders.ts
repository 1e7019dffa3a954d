import { noBounds } from '../../shared/domain/key-bounds.ts';
import { wholeScope } from '../../shared/domain/scopes.ts';
import { Pool } from 'pg';
import { pino } from 'pino';
import { createAccepting } from '../../services/api/jobs/accept/accepting.ts';
import { acceptJob, acceptJobs } from '../../services/api/jobs/accept/accept-jobs.ts';
import { createFlushLane } from '../../services/api/jobs/accept/flush-lane.ts';
import { createClientEgress } from '../../services/api/clients/client-egress.ts';
import { createClientFigures } from '../../services/api/clients/postgres/client-figures.ts';
import { createClientStore } from '../../services/api/clients/postgres/client-store.ts';
import { readJob } from '../../services/api/jobs/accept/read-job.ts';
import { jobIdOf } from '../../shared/domain/job/job-ids.ts';
import { textArray } from '../../shared/postgres/connection/array-literals.ts';
import { createClientSource } from '../../shared/postgres/registry/clients.ts';
import { createJobIntake } from '../../shared/postgres/jobs/job-intake.ts';
import { createChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { createAcceptPool } from '../../shared/postgres/connection/pool.ts';
import { createClientReader } from '../../shared/runtime/installation/client-reader.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { createTargetTopics } from '../../shared/runtime/configuration/target-topics.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import type { QueueServers } from '../peers/job-queue.ts';
import { loadPeer, type PeerName } from '../peers/load-peer.ts';
import type { Adder } from './adder.ts';
import { addedClient, rowsPerBareInsert, type NewJob } from './added-jobs.ts';

export const adders: Readonly<Record<string, (servers: QueueServers) => Promise<Adder>>> = {
  bare: openBare,
  muster: openMuster,
  bullmq: createQueueAdder('bullmq'),
  'pg-boss': createQueueAdder('pg-boss'),
  'graphile-worker': createQueueAdder('graphile-worker'),
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

/**
 * Opens the bare loop: the least work that keeps a key from being stored twice. Ids are derived from keys, bodies are
 * stored as JSON, and one statement stores many jobs. The loop writes no ledger and does not check for jobs that have
 * ended.
 */
async function openBare({ databaseUrl }: QueueServers): Promise<Adder> {
  const pool = new Pool({ connectionString: databaseUrl, max: 3 });
  await pool.query(bareTable);
  const flush = async (jobs: readonly NewJob[]) => {
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
  const lane = (inFlight: number) => createFlushLane({ maxItems: rowsPerBareInsert, inFlight, flush });
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

/** Opens an adder that does the work of the API for a request, without HTTP. */
async function openMuster({ databaseUrl }: QueueServers): Promise<Adder> {
  const logger = pino({ level: 'error' });
  const pool = createAcceptPool({ connectionString: databaseUrl, applicationName: 'bench', logger });
  const { name } = addedClient;
  await createClientStore({ pool }).create(addedClient);
  const changes = createChangeFeed({
    connectionString: databaseUrl,
    applicationName: 'bench',
    clock: systemClock,
    logger,
  });
  const clients = createClientReader({
    clients: createClientSource({ pool }),
    changes,
    clock: systemClock,
    logger,
  });
  await clients.refresh();
  const accepting = createAccepting({
    clients,
    intake: createJobIntake({ pool }),
    figures: createClientFigures({ pool }),
    egress: createClientEgress(readInstallationEgress({}), createTargetTopics([], 'muster')),
    exchangeKeyRates: () => Promise.resolve(new Map()),
    secretBox: createSecretBox([]),
    owner: 'bench',
    clock: systemClock,
    logger,
  });
  const sender = { key: 'bench', scope: wholeScope, bounds: noBounds };
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1) await acceptJob(readJob(only, name), sender, accepting);
      else {
        const results = await acceptJobs({ values: jobs, client: name, sender, pointerAt: String }, accepting);
        if (results.some(({ status }) => status !== 'accepted')) throw new Error('not all were accepted');
      }
    },
    empty: async () => {
      await pool.query('truncate jobs');
    },
    close: () => pool.end(),
  };
}

function createQueueAdder(queue: PeerName) {
  return async (servers: QueueServers) => (await loadPeer(queue)).openAdder(servers);
}
