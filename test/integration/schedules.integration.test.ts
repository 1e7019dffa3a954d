import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createCampaignStore } from '../../services/api/postgres/campaign-store.ts';
import { createClientStore } from '../../services/api/postgres/client-store.ts';
import { createGroupStore } from '../../services/api/postgres/group-store.ts';
import { createScheduleStore } from '../../services/api/postgres/schedule-store.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createDueSchedules } from '../../services/scheduler/postgres/due-schedules.ts';
import { createLeases } from '../../shared/postgres/leases.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { msOf } from '../../shared/postgres/schedules/schedule-rows.ts';
import {
  describeSchedules,
  type SchedulesSubject,
  type StoredJob,
} from '../support/conformance/schedules.conformance.ts';
import {
  describeCampaignSchedules,
  type CampaignSchedulesSubject,
} from '../support/conformance/campaign-schedules.conformance.ts';
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

/** Emptied, and at the beginning of its time. */
async function begin() {
  await plain.query(
    `truncate schedules, occurrences, skipped_instants, schedule_groups, jobs, clients, client_keys, client_totals, ended_jobs, campaigns,
       campaign_revisions, run_starts, runs, leases, budgets cascade`,
  );
  let nowMs = startMs;
  await setClock(plain, nowMs);
  return {
    nowMs: () => nowMs,
    passTime: async (ms: number) => {
      nowMs += ms;
      await setClock(plain, nowMs);
    },
    schedules: createScheduleStore({ pool, region: 'local', owner: 'api' }),
    due: createDueSchedules({ pool }),
  };
}

async function postgresSchedules(): Promise<SchedulesSubject> {
  return {
    ...(await begin()),
    groups: createGroupStore({ pool }),
    clients: createClientStore({ pool }),
    jobs,
    endJobs: async () => {
      await plain.query('delete from jobs');
    },
    disarm: async (scheduleId) => {
      await plain.query('update schedules set look_at = null where id = $1', [scheduleId]);
    },
  };
}

async function postgresCampaignSchedules(): Promise<CampaignSchedulesSubject> {
  return {
    ...(await begin()),
    campaigns: createCampaignStore({ pool }),
    dueJobs: createDueJobs({ pool }),
    leases: createLeases({ pool }),
    runs: async () => {
      const { rows } = await plain.query<Awaited<ReturnType<CampaignSchedulesSubject['runs']>>[number]>(
        `select id as "runId", state, state_reason as "stateReason", ${msOf('scheduled_for')} as "scheduledForMs" from runs order by scheduled_for`,
      );
      return rows;
    },
    move: async (runId, state) => {
      const ended = state === 'completed' ? 'now()' : 'null';
      await plain.query(`update runs set state = $2, started_at = now(), ended_at = ${ended} where id = $1`, [
        runId,
        state,
      ]);
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
describeCampaignSchedules('on Postgres', postgresCampaignSchedules);
