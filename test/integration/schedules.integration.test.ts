import pLimit from 'p-limit';
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import { createClientStore } from '../../services/api/clients/postgres/client-store.ts';
import { createGroupStore } from '../../services/api/schedules/postgres/group-store.ts';
import { createWorkCalendarStore } from '../../services/api/schedules/postgres/work-calendar-store.ts';
import { createScheduleStore } from '../../services/api/schedules/postgres/schedule-store.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createDueSchedules } from '../../services/scheduler/postgres/due-schedules.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { newClientOf } from '../support/clients.ts';
import type { KeptSchedule } from '../../shared/contracts/schedules/kept-schedules.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { msOf } from '../../shared/postgres/schedules/schedule-rows.ts';
import { describeSchedules } from '../support/conformance/schedules.conformance.ts';
import type { SchedulesSubject, StoredJob } from '../support/conformance/schedules-subject.ts';
import {
  describeCampaignSchedules,
  type CampaignSchedulesSubject,
} from '../support/conformance/campaign-schedules.conformance.ts';
import { makeClockSettable, onSettableClock, setClock } from '../support/postgres-clock.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits, untilOneWaits } from '../support/lock-waits.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

/** Keeps the server's time. */
const database = databaseForFile();
let pool: Pool;
beforeAll(async () => {
  await makeClockSettable(database.pool);
  pool = database.open(createPool, { connectionString: onSettableClock(database.url) });
});

const startMs = Date.UTC(2026, 0, 1);

/** Empties the database and sets its clock to the start. */
async function begin() {
  await database.empty();
  let nowMs = startMs;
  await setClock(database.pool, nowMs);
  return {
    nowMs: () => nowMs,
    passTime: async (ms: number) => {
      nowMs += ms;
      await setClock(database.pool, nowMs);
    },
    schedules: createScheduleStore({ pool, region: 'local', owner: 'api', quotas: usualQuotas }),
    due: createDueSchedules({ pool, quotas: usualQuotas }),
  };
}

async function postgresSchedules(): Promise<SchedulesSubject> {
  return {
    ...(await begin()),
    groups: createGroupStore({ pool }),
    workCalendars: createWorkCalendarStore({ pool }),
    addClient: createClientStore({ pool }).create,
    jobs,
    endJobs: async () => {
      await database.pool.query('delete from jobs');
    },
    switchOff: async (region) => {
      await database.pool.query(
        'insert into regions (name, active) values ($1, false) on conflict (name) do update set active = false',
        [region],
      );
    },
    disarm: async (scheduleId) => {
      await database.pool.query('update schedules set next_check_at = null where id = $1', [scheduleId]);
    },
  };
}

async function postgresCampaignSchedules(): Promise<CampaignSchedulesSubject> {
  return {
    ...(await begin()),
    campaigns: createCampaignStore({ pool, quotas: usualQuotas }),
    dueJobs: createDueJobs({ pool }),
    leases: createLeases({ pool }),
    runs: async () => {
      const { rows } = await database.pool.query<Awaited<ReturnType<CampaignSchedulesSubject['runs']>>[number]>(
        `select id as "runId", state, state_reason as "stateReason", ${msOf('scheduled_for')} as "scheduledForMs" from runs order by scheduled_for`,
      );
      return rows;
    },
    move: async (runId, state) => {
      const ended = state === 'completed' ? 'now()' : 'null';
      await database.pool.query(`update runs set state = $2, started_at = now(), ended_at = ${ended} where id = $1`, [
        runId,
        state,
      ]);
    },
  };
}

async function jobs(): Promise<StoredJob[]> {
  const { rows } = await database.pool.query<StoredJob>(
    `select id as "jobId", ${msOf('due_at')} as "dueAtMs", ${msOf('expires_at')} as "expiresAtMs", key, url, headers,
      schedule as "scheduleId"
     from jobs order by due_at, id`,
  );
  return rows;
}

describeSchedules('on Postgres', postgresSchedules);
describeCampaignSchedules('on Postgres', postgresCampaignSchedules);

describe('firing schedules on Postgres', () => {
  it('stores nothing if its process dies halfway, and the next pass fires the schedule once', async () => {
    const { schedules, addClient, due, ...subject } = await postgresSchedules();
    const client = newClientOf('shop');
    await addClient(client);
    const { clientId } = client;
    await schedules.create({ name: 'each minute', clientId, definition: eachMinute, note: null });
    await subject.passTime(60_000);

    const rival = await database.pool.connect();
    try {
      await rival.query('begin');
      await rival.query('lock table jobs in access exclusive mode');
      const read = due.recur({ region: 'local', owner: 'a' }, 10);
      read.catch(() => undefined);
      await untilOneWaits(database.pool);
      await database.pool.query(`select pg_terminate_backend(pid, 30000) from ${lockWaits}`);
      await expect(read).rejects.toThrow();
    } finally {
      rival.release(true);
    }

    expect((await database.pool.query('select from occurrences')).rowCount).toBe(0);
    expect((await due.recur({ region: 'local', owner: 'b' }, 10)).fired).toHaveLength(1);
    expect((await due.recur({ region: 'local', owner: 'a' }, 10)).fired).toEqual([]);
    expect(await jobs()).toHaveLength(1);
  });

  it('decides about an instant atomically, without a concurrent change in between', async () => {
    const { schedules, addClient, due: plain, ...subject } = await postgresSchedules();
    const clientId = uuidv7();
    await addClient(newClientOf('shop', { clientId }));
    const made = await schedules.create({ name: 'each minute', clientId, definition: eachMinute, note: null });
    const every = (offsetMs: number) => ({
      ...eachMinute,
      recurrence: {
        ...eachMinute.recurrence,
        cron: undefined,
        everySeconds: 60,
        from: new Date(startMs + offsetMs).toISOString(),
      },
    });
    await schedules.create({ name: 'later', clientId, definition: every(60_050), note: null });
    const { recurrence } = eachMinute;
    const careful = { ...eachMinute, recurrence: { ...recurrence, overlap: 'skip' as const } };
    await schedules.create({ name: 'looks who is at work', clientId, definition: careful, note: null });
    await subject.passTime(59_900);
    expect(await plain.recur({ region: 'local', owner: 'a' }, 10)).toMatchObject({ examined: 0, nextCheckInMs: 100 });

    const pausing: Promise<unknown>[] = [];
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
      expect(await jobs()).toEqual([]);
      pausing.push(schedules.control(made.scheduleId, 'pause', null));
      await untilOneWaits(database.pool);
      await subject.passTime(100);
    };
    const due = createDueSchedules({ pool, aheadMs: 200, sleep, quotas: usualQuotas });
    const recurred = await due.recur({ region: 'local', owner: 'a' }, 10);
    expect(recurred.fired).toMatchObject([{ scheduleId: made.scheduleId, scheduledForMs: startMs + 60_000 }]);
    expect(Math.round(slept[0] ?? 0)).toBe(98);
    await Promise.all(pausing);
    expect(await jobs()).toMatchObject([{ dueAtMs: startMs + 60_000 }]);
    expect((await plain.recur({ region: 'local', owner: 'a' }, 10)).fired).toMatchObject([
      { scheduledForMs: startMs + 60_000 },
    ]);
    expect(await jobs()).toHaveLength(2);
  });

  it('refuses a change while more occurrences were missed than one request can decide, and keeps these occurrences', async () => {
    const { schedules, addClient, ...subject } = await postgresSchedules();
    const clientId = uuidv7();
    await addClient(newClientOf('shop', { clientId }));
    const { cron: _, ...rhythm } = eachMinute.recurrence;
    const definition = { ...eachMinute, recurrence: { ...rhythm, everySeconds: 1 } };
    const { scheduleId } = await schedules.create({ name: 'each second', clientId, definition, note: null });
    await subject.passTime(1_200_000_000);
    expect(await schedules.change(scheduleId, { definition: eachMinute }, null)).toEqual({ kind: 'busy' });
    expect(await schedules.change(scheduleId, { definition: eachMinute }, null)).toMatchObject({ kind: 'changed' });
    const skipped = await database.pool.query<{ sum: number }>('select sum(instants)::int from skipped_instants');
    expect((skipped.rows[0]?.sum ?? 0) + (await jobs()).length).toBe(1_200_000);
  });

  it('creates the jobs of a thousand due schedules, a hundred per transaction', async () => {
    const { schedules, addClient, due, ...subject } = await postgresSchedules();
    const clientId = uuidv7();
    await addClient(newClientOf('shop', { clientId }));
    const made = Array.from({ length: 1000 }, () => ({
      name: 'each minute',
      clientId,
      definition: eachMinute,
      note: null,
    }));
    // As many at once as the pool has connections: another one would wait for a connection, for ten seconds at most.
    const limit = pLimit(10);
    await Promise.all(made.map((schedule) => limit(() => schedules.create(schedule))));
    await subject.passTime(60_000);
    for (let read = 0; read < 10; read++) {
      expect((await due.recur({ region: 'local', owner: 'a' }, 100)).fired).toHaveLength(100);
    }
    expect(await due.recur({ region: 'local', owner: 'a' }, 100)).toMatchObject({ examined: 0, nextCheckInMs: 60_000 });
    expect(await jobs()).toHaveLength(1000);
    const totals = await database.pool.query<{ accepted: string }>(
      'select sum(accepted) as accepted from client_totals',
    );
    expect(totals.rows).toEqual([{ accepted: '1000' }]);
  });
});

const eachMinute: KeptSchedule = {
  recurrence: {
    cron: '* * * * *',
    zone: 'UTC',
    misfire: 'fire-once',
    catchUpSeconds: 3600,
    overlap: 'allow',
    spreadSeconds: 0,
  },
  call: { url: 'https://example.com', method: 'POST', headers: null, body: null, relevancySeconds: null, tags: [] },
};
