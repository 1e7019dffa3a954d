import type { Pool } from 'pg';
import { pino } from 'pino';
import { createUserHistories } from '../../services/api/runs/explain/postgres/user-histories.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { percentile, publishTables, rounded, type Row } from '../results.ts';
import { databaseSettings } from '../warm-database.ts';
import { batchUsers, nameIn, userOf, writeEndedRun, writeFeed } from '../written-run.ts';

/**
 * Measures the time to explain one user of a run. The run's rows are written by SQL, in the form that the engine
 * leaves: two steps, two users of each batch failed in the first one. The requests are for users all over the run, and
 * for users that are not in it.
 */
const question = 'Milliseconds to explain one user of a run';
const countries = ['SG', 'ID', 'VN', 'MY'] as const;
const questionsRequested = 400;

export async function benchmarkExplain({ quick }: { quick: boolean }): Promise<void> {
  const postgres = await startPostgresAlone(databaseSettings);
  try {
    const rows: Row[] = [];
    for (const users of quick ? [100_000] : [100_000, 10_000_000])
      rows.push(...(await measure(postgres.databaseUrl, users)));
    publishTables('explain', question, [{ title: 'One user of a run', rows }]);
  } finally {
    await postgres.stop();
  }
}

async function measure(serverUrl: string, users: number): Promise<Row[]> {
  const { url, drop } = await createDatabase(serverUrl);
  await migrate(url);
  const pool = createPool({ connectionString: url, applicationName: 'explain', logger: pino({ level: 'silent' }) });
  try {
    const runId = await writeRun(pool, users);
    const histories = createUserHistories({ pool });
    const kinds = {
      'succeeded in both steps': (n: number) => userOf(n * batchUsers + 7),
      'failed in the first step': (n: number) => userOf(n * batchUsers + 50),
      'in no segment': (n: number) => `${userOf(n * batchUsers + 7)}x`,
    };
    const cases: Row[] = [];
    for (const [kind, nameOf] of Object.entries(kinds)) {
      const tookMs: number[] = [];
      for (let requested = 0; requested < questionsRequested; requested++) {
        const batch = Math.floor((requested / questionsRequested) * (users / batchUsers));
        const startedMs = performance.now();
        await histories.find(runId, nameOf(batch));
        tookMs.push(performance.now() - startedMs);
      }
      const [p50, p99] = [percentile(tookMs, 0.5), percentile(tookMs, 0.99)];
      cases.push({
        users,
        user: kind,
        'p50 ms': rounded(p50),
        'p99 ms': rounded(p99),
        'max ms': rounded(Math.max(...tookMs)),
      });
    }
    console.error(`${users} users: done`);
    return cases;
  } finally {
    await pool.end();
    await drop();
  }
}

/**
 * Writes an ended run and returns its id. The audience is split into equal, adjoining ranges of users, one for each
 * country.
 */
export async function writeRun(pool: Pool, users: number): Promise<string> {
  const chain = [
    { action: 'award-reward', params: {} },
    { action: 'send-message', params: {} },
  ];
  const definition = { name: 'Explained', countries, chain, deadlineSeconds: 3600, priority: 'normal' };
  const runId = await writeEndedRun(pool, definition);
  const batches = users / batchUsers / countries.length;
  for (const [index, country] of countries.entries()) {
    await writeFeed(pool, { runId, country, first: index * batches, batches }, [insertSteps, insertFailures]);
  }
  await pool.query('analyze');
  return runId;
}

const insertSteps = `
  insert into batch_steps (feed, batch_no, step, state, epoch, lease_until, rest, rest_users, failed, unknown)
  select $1, b, s, 3, 1, now(), 1, 98, case s when 1 then 2 else 0 end, 0
    from generate_series($2::int, $3::int) b, generate_series(1, 2) s
  where $4::int >= 0`;

const insertFailures = `
  insert into user_failures (feed, batch_no, step, user_id, outcome, reason, attempts)
  select $1, b, 1, ${nameIn('u')}, 2, 'out-of-stock', 1 from generate_series($2::int, $3::int) b,
    unnest(array[50, 51]) u`;
