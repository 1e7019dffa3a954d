import type { Pool } from 'pg';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { createUserHistories } from '../../services/api/postgres/user-histories.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { migrate } from '../../shared/postgres/migrate.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { percentile, publishTables, rounded, type Row } from '../results.ts';
import { databaseSettings } from '../warm-database.ts';

/**
 * How long does it take to say what became of one user? A run's rows are written by SQL, as the engine leaves them: two steps, two
 * users of each batch failed in the first one. Asked are users all over it, and users that it does not hold.
 */
const question = 'Milliseconds to explain one user of a run';
export const batchUsers = 100;
const countries = ['SG', 'ID', 'VN', 'MY'] as const;
const questionsAsked = 400;

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
      for (let asked = 0; asked < questionsAsked; asked++) {
        const batch = Math.floor((asked / questionsAsked) * (users / batchUsers));
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

/** Ids ascend as texts do. */
export function userOf(index: number): string {
  return `user-${String(index).padStart(9, '0')}`;
}

/** The audience in equal, adjoining ranges, one for each country. */
export async function writeRun(pool: Pool, users: number): Promise<string> {
  const [campaignId, runId] = [uuidv7(), uuidv7()];
  const chain = [
    { action: 'award-reward', params: {} },
    { action: 'send-message', params: {} },
  ];
  const definition = { name: 'Explained', countries, chain, deadlineSeconds: 3600, priority: 'normal' };
  await pool.query(`insert into campaigns (id, name, state, revision) values ($1, 'Explained', 'scheduled', 1)`, [
    campaignId,
  ]);
  await pool.query('insert into campaign_revisions (campaign, revision, definition) values ($1, 1, $2)', [
    campaignId,
    definition,
  ]);
  await pool.query(
    `insert into runs (id, campaign, revision, scheduled_for, state, deadline_at, ended_at)
     values ($1, $2, 1, now(), 'completed_with_failures', now(), now())`,
    [runId, campaignId],
  );
  const batches = users / batchUsers / countries.length;
  for (const [index, country] of countries.entries()) await writeFeed(pool, runId, country, index * batches, batches);
  await pool.query('analyze');
  return runId;
}

/** In chunks: no statement is longer than statements may take. */
const batchesPerStatement = 5000;

async function writeFeed(pool: Pool, runId: string, country: string, first: number, batches: number): Promise<void> {
  const feedId = uuidv7();
  await pool.query(
    `insert into feeds (feed, run, country, segment, snapshot, cursor, next_batch_no, fed_users, complete)
     values ($1, $2, $3, 'all', 's1', $4, $5, $6, true)`,
    [
      feedId,
      runId,
      country,
      JSON.stringify(userOf((first + batches) * batchUsers - 1)),
      batches + 1,
      batches * batchUsers,
    ],
  );
  for (let from = 1; from <= batches; from += batchesPerStatement) {
    const values = [feedId, from, Math.min(batches, from + batchesPerStatement - 1), first];
    for (const text of [insertBatches, insertSteps, insertFailures]) await pool.query(text, values);
  }
}

const nameIn = (place: string) => `'user-' || lpad(((($4::int + b - 1) * ${batchUsers}) + ${place})::text, 9, '0')`;

/** $1 feed, $2 and $3 first and last batch, $4 batches of the run before this feed. */
const insertBatches = `
  insert into batches (feed, batch_no, n, first_user, last_user, users)
  select $1, b, ${batchUsers}, ${nameIn('0')}, ${nameIn(String(batchUsers - 1))},
    (select string_agg('"' || ${nameIn('u')} || '"', ',' order by u) from generate_series(0, ${batchUsers - 1}) u)
  from generate_series($2::int, $3::int) b`;

const insertSteps = `
  insert into batch_steps (feed, batch_no, step, state, epoch, lease_until, rest, rest_users, failed, unknown)
  select $1, b, s, 3, 1, now(), 1, 98, case s when 1 then 2 else 0 end, 0 from generate_series($2::int, $3::int) b, generate_series(1, 2) s
  where $4::int >= 0`;

const insertFailures = `
  insert into user_failures (feed, batch_no, step, user_id, outcome, reason, attempts)
  select $1, b, 1, ${nameIn('u')}, 2, 'out-of-stock', 1 from generate_series($2::int, $3::int) b, unnest(array[50, 51]) u`;
