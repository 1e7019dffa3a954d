import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { callsTopic } from '../../shared/domain/endpoint/call-topics.ts';
import type { LocalInfrastructure } from '../../shared/infrastructure/local.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { dispatcherGroup } from '../../shared/runtime/installation/installation-bus.ts';
import type { ServiceName, ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { openInstallation, ownRoot } from '../installation.ts';
import { warmDatabase } from '../warm-database.ts';

const pollMs = 100;
const partitions = 6;
/** Region of a service whose configuration does not set one. */
const region = 'local';

export interface JobsToAdd {
  jobs: number;
  /** Span in milliseconds over which the due times are spread evenly. */
  overMs: number;
  /** Milliseconds from now to the beginning of the span. */
  inMs: number;
  /** URL that the jobs call. The due time of each job, in milliseconds, is appended. */
  url: string;
  /** Client, or ids of clients that receive the jobs in turn. */
  client?: FiringClient | readonly string[];
  /**
   * Number of ordering keys, which the jobs receive in turn, as if all jobs had been accepted at once. Null means jobs
   * without keys.
   */
  keys?: number | null;
}

export type FiringClient = keyof typeof clients;

/** A scheduler and a dispatcher with a database and a topic of their own. Jobs are inserted directly into the table. */
export interface Firing {
  readonly databaseUrl: string;
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly group: string;
  readonly region: string;
  readonly partitions: number;
  start(service: Extract<ServiceName, 'scheduler' | 'dispatcher'>): Promise<ServiceProcess>;
  /** Stops a service after it has finished the work in progress. */
  end(service: ServiceProcess): Promise<void>;
  pids(service: ServiceName): number[];
  /** @returns due time of the first job, by this machine's clock, which the database uses too */
  addJobs(jobs: JobsToAdd): Promise<{ fromMs: number }>;
  /** Resolves when `jobs` jobs have ended. @param client clients whose jobs count; all by default */
  untilEnded(jobs: number, withinMs: number, client?: JobsToAdd['client']): Promise<void>;
  /** Resolves with the number of the client's jobs that have ended. */
  ended(client: NonNullable<JobsToAdd['client']>): Promise<number>;
  /**
   * Adds clients like `quiet`, before services are started.
   * @param terms settings that differ from the client `quiet`
   * @returns ids of the clients
   */
  addClients(count: number, terms?: { publishRatePerSecond: number }): Promise<string[]>;
  /** Changes the concurrency of a client, before services are started. */
  define(client: FiringClient, terms: { concurrency: number }): Promise<void>;
  /** Deletes due jobs. Otherwise the scheduler would offer jobs again that it has offered and that were not called. */
  removeDue(): Promise<void>;
  stop(): Promise<void>;
}

const clients = { jobs: '11111111-0000-7000-8000-000000000001', quiet: '11111111-0000-7000-8000-000000000002' };
/** Endpoint with enough concurrent calls to keep a receiver busy that answers at once. */
const defaultTerms = { concurrency: 150, egress: { allow: [{ cidr: '127.0.0.0/8' }] } };

/** @param root folder of the engine's source: this tree by default, or another commit's */
export async function startFiring(infrastructure: LocalInfrastructure, root = ownRoot): Promise<Firing> {
  const engine = { countries: ['SG'], segmentation: { url: 'http://127.0.0.1:1/' }, actionTypes: {} };
  const config = { ...engine, partitionsPerShard: partitions };
  const { databaseUrl, topicPrefix, services, stop } = await openInstallation(infrastructure, config, root);
  await migrate(databaseUrl);
  await warmDatabase(databaseUrl);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  for (const [name, id] of Object.entries(clients)) {
    await client.query(insertClient, [id, name, defaultTerms]);
  }
  await client.query('update installation set clients_revision = clients_revision + 1');
  const { rows } = await client.query<{ id: string }>('select id from installation');

  const ended = async (of?: JobsToAdd['client']) => {
    const { rows: counted } = await client.query<{ ended: number }>(countEnded, [of === undefined ? null : idsOf(of)]);
    return counted[0]?.ended ?? 0;
  };

  return {
    databaseUrl,
    brokers: infrastructure.brokers,
    topic: callsTopic(topicPrefix, region),
    group: dispatcherGroup(topicPrefix, region, rows[0]?.id ?? ''),
    region,
    partitions,
    start: (service) => services.start(service),
    end: (service) => services.end(service),
    pids: (service) => services.pids(service),
    addJobs: async ({ jobs, overMs, inMs, url, client: owner = 'jobs', keys = null }) => {
      const fromMs = Date.now() + inMs;
      await client.query(insertJobs, [jobs, fromMs, overMs, url, idsOf(owner), keys]);
      if (keys !== null) await client.query(advanceKeys, [idsOf(owner), keys]);
      if (Date.now() > fromMs) throw new Error('the first jobs were due before all had been added');
      return { fromMs };
    },
    untilEnded: async (jobs, withinMs, of) => {
      const giveUpAt = performance.now() + withinMs;
      for (;;) {
        services.requireRunning();
        const have = await ended(of);
        if (have >= jobs) return;
        if (performance.now() > giveUpAt) throw new Error(`only ${have} of ${jobs} jobs have ended`);
        await wait(pollMs);
      }
    },
    ended,
    addClients: async (count, terms) => {
      const { rows: added } = await client.query<{ id: string }>(insertClients, [count, { ...defaultTerms, ...terms }]);
      return added.map(({ id }) => id);
    },
    define: async (of, terms) => {
      await client.query('update client_endpoints set definition = definition || $2 where id = $1', [
        clients[of],
        terms,
      ]);
    },
    removeDue: async () => {
      await client.query(deleteDue);
      await client.query('vacuum jobs');
    },
    stop: async () => {
      await client.end();
      await stop();
    },
  };
}

function idsOf(client: NonNullable<JobsToAdd['client']>): readonly string[] {
  return typeof client === 'string' ? [clients[client]] : client;
}

/** Inserts the endpoint `default` for each added client. @param terms SQL of the endpoint's definition */
const insertDefaultEndpoints = (terms: string) => `
  insert into client_endpoints (id, client, name, definition)
  select id, id, 'default', ${terms}::jsonb from added returning id`;

const insertClient = `
  with added as (insert into clients (id, name, definition) values ($1, $2, '{}') returning id)
  ${insertDefaultEndpoints('$3')}`;

/** Inserts $1 clients whose endpoint has the definition $2. */
const insertClients = `
  with added as (
    insert into clients (id, name, definition)
    select k.id, 'client-' || k.id, '{}' from (select gen_random_uuid() as id from generate_series(1, $1::int4)) k
    returning id
  )
  ${insertDefaultEndpoints('$2')}`;

/** Counts ended jobs. $1: client ids, or null for all clients. */
const countEnded = `
  select coalesce(sum(called + expired + dead), 0)::float8 as ended from client_totals
  where $1::uuid[] is null or client = any($1)`;

/** Deletes due jobs. Listing all partition ids lets Postgres use the index, so that only due jobs are read. */
const deleteDue = `
  delete from jobs using generate_series(0, 63) p where partition_id = p and due_at <= now()`;

/** Advances ordering keys. $1: client ids, $2: number of keys per client. */
const advanceKeys = `
  select count(advance_key(c.id, 'key-' || n)) from unnest($1::uuid[]) c (id)
  cross join generate_series(0, $2::int4 - 1) n`;

/**
 * Inserts jobs. $1: number of jobs, $2: first due time in ms since 1970, $3: span of the due times in ms, $4: URL, $5:
 * client ids that own the jobs in turn, $6: number of ordering keys, or null for jobs without keys.
 */
const insertJobs = `
  insert into jobs (partition_id, due_at, id, client, scheduled_for, ordering_key, in_order, accept_order, ready_at,
    method, url, body)
  select get_byte(uuid_send(k.id), 15) % 64, case when $6::int4 is null then k.due else 'infinity' end,
    k.id, ($5::uuid[])[1 + k.n % cardinality($5::uuid[])], k.due,
    'key-' || k.n % $6::int4, case when $6 is not null then true end, (k.n / $6 % 32000)::int2,
    case when $6 is not null then k.due end, 'POST', $4 || round(extract(epoch from k.due) * 1000), '{"hello":"there"}'
  from (
    select gen_random_uuid() as id, n,
      to_timestamp($2::float8 / 1000) + (n * $3::float8 / $1::int8) * interval '1 millisecond' as due
    from generate_series(0, $1::int8 - 1) n
  ) k`;
