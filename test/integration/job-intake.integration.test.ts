import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createJobIntake, storeJobs } from '../../shared/postgres/job-intake.ts';
import { createAcceptPool } from '../../shared/postgres/pool.ts';
import { describeJobIntake } from '../support/conformance/job-intake.conformance.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  pool = createAcceptPool({ connectionString: database.url, applicationName: 'job-intake-test', logger });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const storedRow = z.object({
  clientId: z.string(),
  dueAtMs: z.coerce.number(),
  expiresAtMs: z.coerce.number().nullable(),
  key: z.string().nullable(),
  method: z.string(),
  url: z.string(),
  headers: z.string().nullable(),
  body: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
});
const ms = (column: string) => `trunc(extract(epoch from ${column}) * 1000)`;
const select = `
  select client as "clientId", ${ms('due_at')} as "dueAtMs", ${ms('expires_at')} as "expiresAtMs", key, method, url, headers, body, tags
  from jobs where id = $1`;
const asCalled = `
  with j as (delete from jobs where id = $1 returning *)
  insert into ended_jobs (id, client, ended_at, scheduled_for, outcome, attempt, method, url, key, tags)
  select id, client, now(), scheduled_for, 'called', attempt, method, url, key, tags from j`;
const asDead = `
  with j as (delete from jobs where id = $1 returning *)
  insert into dead_jobs (id, client, cause, job) select id, client, 'http-500', to_jsonb(j) from j`;

describeJobIntake('on Postgres', async () => {
  await pool.query('truncate jobs, ended_jobs, dead_jobs, client_totals');
  return {
    intake: createJobIntake({ pool }),
    now: async () => Number((await pool.query<{ ms: string }>(`select ${ms('clock_timestamp()')} as ms`)).rows[0]?.ms),
    stored: async (jobId) => {
      const { rows } = await pool.query<object>(select, [jobId]);
      return rows[0] && storedRow.parse(rows[0]);
    },
    end: async (jobId, outcome) => {
      await pool.query(outcome === 'called' ? asCalled : asDead, [jobId]);
    },
    accepted: async (clientId) => {
      const sum = 'select coalesce(sum(accepted), 0)::int as accepted from client_totals where client = $1';
      return (await pool.query<{ accepted: number }>(sum, [clientId])).rows[0]?.accepted ?? 0;
    },
  };
});

describe('the statement that stores jobs', () => {
  it('looks each key up by its index, whatever the tables held when it was planned', async () => {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${storeJobs.text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on (jobs|ended_jobs|dead_jobs)/);
    expect(plan).not.toContain('hashed SubPlan');
    expect(plan).not.toContain('Bitmap Heap Scan');
  });
});
