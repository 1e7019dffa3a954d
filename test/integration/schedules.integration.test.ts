import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createClientStore } from '../../services/api/postgres/client-store.ts';
import { createGroupStore } from '../../services/api/postgres/group-store.ts';
import { createScheduleStore } from '../../services/api/postgres/schedule-store.ts';
import { createDueSchedules } from '../../services/scheduler/postgres/due-schedules.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { msOf } from '../../shared/postgres/schedules/schedule-rows.ts';
import {
  describeSchedules,
  type SchedulesSubject,
  type StoredJob,
} from '../support/conformance/schedules.conformance.ts';
import { makeClockSettable, onSettableClock, setClock } from '../support/postgres-clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

let database: TestDatabase;
/** Keeps the server's time. */
let plain: Pool;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  plain = createPool({ connectionString: database.url, applicationName: 'schedules-test', logger });
  await makeClockSettable(plain);
  pool = createPool({ connectionString: onSettableClock(database.url), applicationName: 'schedules-test', logger });
});
afterAll(async () => {
  await pool.end();
  await plain.end();
  await database.drop();
});

const startMs = Date.UTC(2026, 0, 1);

async function postgresSchedules(): Promise<SchedulesSubject> {
  await plain.query(
    'truncate schedules, occurrences, skipped_instants, schedule_groups, jobs, clients, client_keys, client_totals, ended_jobs',
  );
  let nowMs = startMs;
  await setClock(plain, nowMs);
  return {
    schedules: createScheduleStore({ pool, region: 'local', owner: 'api' }),
    groups: createGroupStore({ pool }),
    due: createDueSchedules({ pool }),
    clients: createClientStore({ pool }),
    jobs,
    endJobs: async () => {
      await plain.query('delete from jobs');
    },
    disarm: async (scheduleId) => {
      await plain.query('update schedules set look_at = null where id = $1', [scheduleId]);
    },
    nowMs: () => nowMs,
    passTime: async (ms) => {
      nowMs += ms;
      await setClock(plain, nowMs);
    },
  };
}

async function jobs(): Promise<StoredJob[]> {
  const { rows } = await plain.query<StoredJob>(
    `select id as "jobId", ${msOf('due_at')} as "dueAtMs", ${msOf('expires_at')} as "expiresAtMs", key, url, headers, schedule as "scheduleId"
     from jobs order by due_at, id`,
  );
  return rows;
}

describeSchedules('on Postgres', postgresSchedules);
