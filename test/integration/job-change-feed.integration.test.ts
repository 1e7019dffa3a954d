import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeadJobStore } from '../../services/api/jobs/postgres/dead-job-store.ts';
import { createJobChanges } from '../../services/api/jobs/postgres/job-changes.ts';
import { createJobStore } from '../../services/api/jobs/postgres/job-store.ts';
import { createJobIntake } from '../../shared/postgres/jobs/job-intake.ts';
import type { OpenChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { clientIdOf, jobIdOf } from '../support/conformance/job-subject.ts';
import { listeningOn, nextOf } from '../support/listening.ts';
import { callLedgerOn, hostCircuitsOn, letDie } from '../support/postgres-call-ledger.ts';
import { postgresJobSubject } from '../support/postgres-job-subject.ts';
import { recurOnPostgres } from '../support/recur-on-postgres.ts';

const api = apiOnPostgres();
const [jobId, clientId] = [jobIdOf(1), clientIdOf(1)];
const later = { jobId, clientId, dueInMs: 60_000 };
const isDue = { jobId, clientId, dueInMs: -1000 };
const host = 'one.example';
const note = { status: 500, latencyMs: 5, error: 'no', answer: null };
const call = { method: 'POST', url: 'https://a.test', headers: null, body: null, tags: null, scheduleId: null };

function storing(delayMs: number) {
  const job = { ...call, jobId, clientId, key: null, dueAt: null, delayMs, relevancyMs: null };
  return createJobIntake({ pool: api.pool }).store([job], 1);
}

/** Changes that make a job due soon. */
const writers: Record<string, () => Promise<unknown>> = {
  'is accepted': () => storing(2000),
  'is rescheduled': async () => {
    await postgresJobSubject(api.pool).add([later]);
    await createJobStore({ pool: api.pool, slot: 1 }).move([jobId], { delayMs: 0 });
  },
  'is rescheduled together with others': async () => {
    await postgresJobSubject(api.pool).add([later]);
    const changes = createJobChanges({ pool: api.pool, slot: 1 });
    const change = { changeId: jobId, clientId, verb: 'reschedule', filter: {}, dueAt: new Date(0) } as const;
    await changes.apply(await changes.create(change), [jobId], null);
  },
  'is replayed after its death': async () => {
    await letDie(api.pool, await dead(), 'http-500');
    await createDeadJobStore({ pool: api.pool }).replay(jobId, { withExpired: false });
  },
  'is replayed together with others': async () => {
    await letDie(api.pool, await dead(), 'http-500');
    await createDeadJobStore({ pool: api.pool }).replayAll({}, { withExpired: false, perSecond: null });
  },
  'is retried': async () => {
    const claims = await postgresJobSubject(api.pool).add([isDue]);
    const ledger = callLedgerOn(api.pool, 'a');
    const { claimed } = await ledger.flush({ results: [], claims });
    const verdict = { kind: 'retry', delayMs: 500 } as const;
    const { recorded } = await ledger.flush({ results: claimed.map((job) => ({ ...job, verdict, note })), claims: [] });
    expect(recorded.size).toBe(1);
  },
  'returns to a host that works again': async () => {
    await postgresJobSubject(api.pool).add([{ ...isDue, sideline: host }]);
    const circuits = hostCircuitsOn(api.pool);
    await circuits.open({ clientId, host }, 'status 500', 0);
    await circuits.beginClosing({ clientId, host });
    expect(await circuits.releaseSidelined({ clientId, host }, 10)).toBe(1);
  },
  'is made by a schedule': async () => {
    await api.ask('POST', '/v1/clients', { name: 'shop' });
    const target = { client: 'shop', url: 'https://shop.example/call', method: 'POST' };
    await api.ask('POST', '/v1/schedules', { name: 'each minute', cron: '* * * * *', zone: 'Asia/Singapore', target });
    await api.passTime(60_000);
    expect((await recurOnPostgres(api.pool)).fired).toHaveLength(1);
  },
};

async function dead() {
  const client = "insert into clients (id, name, definition) values ($1, 'shop', '{}')";
  await api.pool.query(client, [clientId]);
  return await postgresJobSubject(api.pool).add([isDue]);
}

describe('the notification of schedulers about a job that is due soon', () => {
  let changes: OpenChangeFeed;
  beforeEach(async () => {
    changes = await listeningOn(api.deps.config.databaseUrl);
  });
  afterEach(() => changes.stop());

  it.each(Object.keys(writers))('is sent when the job %s', async (writer) => {
    const notified = nextOf(changes, 'jobs');
    await writers[writer]?.();
    await expect(notified).resolves.toBeUndefined();
  });

  it('is not sent for a job that regular polling finds in time', async () => {
    let notification = 0;
    changes.on('jobs', () => notification++);
    await storing(60_000);
    const last = nextOf(changes, 'clients');
    await api.pool.query('update installation set clients_revision = clients_revision + 1');
    await last;
    expect(notification).toBe(0);
  });
});
