import { afterEach, describe, expect, it } from 'vitest';
import { faultControls } from '../mutations/fault-controls.ts';
import { isFullScale } from './support/full-scale.ts';
import { startCallbackTrial, type CallbackTrial, type CallbackTrialOptions } from './support/callback-trial.ts';
import { lateMsOf } from './support/measure-callbacks.ts';
import { quantile } from './support/measure-run.ts';
import { lasting, until } from './support/until.ts';

/** On a shared machine, a job waits for some more looks and flushes. */
const busyMachineMs = 250;
const [clientsBehind, jobsOfClient] = [1000, 3];
const crowdJobs = isFullScale ? 1_000_000 : 200_000;
/** An insert takes less than the five seconds of the observer on a busy machine too. */
const rowsPerInsert = 5000;
const rounds = 3;
const wanted = { count: 400, dueInMs: 500, spreadMs: 4000 };

describe('row 69: a client beside 1,000 clients that are behind and a backlog of due jobs', () => {
  let trial: CallbackTrial;
  afterEach(() => trial.end());

  const p99 = (ids: readonly string[]) => quantile(lateMsOf(trial, ids), 0.99);

  /** Returns the p99 of the quickest of three rounds, because foreign load only adds time. */
  async function quickestP99(): Promise<number> {
    let quickest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const ids = await trial.schedule(wanted);
      await until('all of them are called', () => lateMsOf(trial, ids).length === ids.length, 60_000);
      quickest = Math.min(quickest, p99(ids));
    }
    return quickest;
  }

  /** Adds clients with a limit of one call in ten seconds, whose receiver is a port where nothing listens. */
  async function addClientsBehind(): Promise<string[]> {
    const rows = await trial.database.rows<{ id: string }>(
      `with crowd as (
         insert into clients (id, name, definition)
         select gen_random_uuid(), 'behind-' || n, definition
         from clients, generate_series(1, $1::int4) n where name = 'crowd' returning id
       )
       insert into client_endpoints (id, client, name, definition)
       select crowd.id, crowd.id, 'default',
         e.definition || '{"publishRatePerSecond": 0.1, "retry": {"strategy": "none"}}'
       from crowd, client_endpoints e join clients c on c.id = e.id where c.name = 'crowd' returning id`,
      [clientsBehind],
    );
    await trial.database.rows('update installation set clients_revision = clients_revision + 1');
    return rows.map(({ id }) => id);
  }

  /** Stores jobs that are due now, distributed over these clients. */
  async function store(jobs: number, clients: readonly string[], url: string): Promise<void> {
    for (let stored = 0; stored < jobs; stored += rowsPerInsert) {
      const count = Math.min(rowsPerInsert, jobs - stored);
      await trial.database.rows(
        `with stored as (
           insert into jobs (partition_id, due_at, id, client, scheduled_for, method, url)
           select get_byte(uuid_send(id), 15) % 64, now(), id, ($2::uuid[])[1 + n % cardinality($2)], now(), 'POST', $3
           from (select n, gen_random_uuid() as id from generate_series(0, $1::int4 - 1) n) k
           returning client
         )
         insert into client_totals (client, slot, accepted) select client, 0, count(*) from stored group by client
         on conflict (client, slot) do update set accepted = client_totals.accepted + excluded.accepted`,
        [count, clients, url],
      );
    }
  }

  /** Starts an installation with a client whose receiver takes five seconds for a call. */
  async function start(options: CallbackTrialOptions = {}): Promise<void> {
    trial = await startCallbackTrial({ schedulers: 1, dispatchers: 1, ...options });
    await trial.addClient('crowd', { concurrency: 5 });
    await trial.receiver.behave({ crowd: { latencyMs: 5000 } });
  }

  /** Stores the jobs of the slow clients and of the crowd, and waits until the schedulers have read them. */
  async function fallBehind(): Promise<void> {
    await store(clientsBehind * jobsOfClient, await addClientsBehind(), 'http://127.0.0.1:1/');
    const crowd = await trial.database.rows<{ id: string }>(`select id from clients where name = 'crowd'`);
    await store(
      crowdJobs,
      crowd.map(({ id }) => id),
      trial.url('crowd/job'),
    );
    await lasting(5000);
  }

  it('is called as if it were the only client', async () => {
    await start();
    const alone = await quickestP99();
    await fallBehind();
    const over = trial.injections.begin('1,000 clients and a crowd behind', 'jobs');
    const beside = await quickestP99();
    over();
    for (const name of [...trial.names('scheduler'), ...trial.names('dispatcher')]) await trial.stop(name);

    const measured = { 'p99 alone ms': alone, 'p99 beside ms': beside };
    const stored = clientsBehind * jobsOfClient;
    const allow = { open: crowdJobs + stored, dead: stored };
    const scenario = '1,000 clients and a crowd behind';
    expect(await trial.judgeCallbacks({ rows: '69', scenario, allow, measured })).toEqual([]);
    expect(beside).toBeLessThan(alone * 1.2 + 50 + busyMachineMs);
  });

  it('is not called if the whole backlog is offered and waits on the topic (control)', async () => {
    await start({ without: faultControls.creditAndSettling });
    await fallBehind();
    const beside = await trial.schedule(wanted);
    await lasting(12_000);
    expect(lateMsOf(trial, beside).length).toBeLessThan(beside.length / 2);
  });
});
