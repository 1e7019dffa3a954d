import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { pino } from 'pino';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { requireOwnSessions } from '../../shared/postgres/connection/right-server.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startPgBouncer, type PgBouncerTerms } from './support/pgbouncer.ts';
import { patientCalls, startTrial } from './support/trial.ts';

const segment = 'lapsed-riders';
const inSessionMode = (url: string) => `${url}?pooler=session`;

const started: { end: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const { end } of started.splice(0).toReversed()) await end();
});

async function pooler(mode: PgBouncerTerms['mode'], ignored: readonly string[] = []) {
  const bouncer = await startPgBouncer({ databaseUrl: inject('databaseUrl'), mode, ignored });
  started.push(bouncer);
  return bouncer;
}

const settings = ['statement_timeout', 'idle_in_transaction_session_timeout', 'options'];
const left = 'leaves out the settings of a session';
const refused = 'refuses what a session needs (unsupported startup parameter';
const lent = 'lends its connections by transaction (pool_mode=transaction)';
const byStatement = 'refuses what a session needs (transaction blocks not allowed in statement pooling mode';

describe('row 63: a start behind PgBouncer', () => {
  it.each<[string, PgBouncerTerms['mode'], readonly string[], (url: string) => string, string]>([
    ['session mode that is not configured in Muster', 'session', [], (url) => url, refused],
    ['session mode that ignores startup parameters', 'session', settings, (url) => url, left],
    ['transaction mode', 'transaction', [], (url) => url, refused],
    ['transaction mode that ignores startup parameters', 'transaction', settings, (url) => url, lent],
    ['transaction mode that is configured as session mode', 'transaction', [], inSessionMode, lent],
    ['statement mode', 'statement', [], inSessionMode, byStatement],
  ])('is refused with the reason in %s', async (_, mode, ignored, notified, cause) => {
    const bouncer = await pooler(mode, ignored);
    const connectionString = notified(bouncer.through(inject('databaseUrl')));
    const pool = createPool({
      connectionString,
      applicationName: 'poolers',
      max: 4,
      logger: pino({ level: 'silent' }),
    });
    const refusal: unknown = await requireOwnSessions(pool).catch((error: unknown) => error);
    await pool.end();
    expect(String(refusal)).toContain(`DATABASE_URL leads to a pooler that`);
    expect(String(refusal)).toContain(cause);
    expect(String(refusal)).toContain('connect to PostgreSQL itself');
  });
});

describe('row 63: an installation behind PgBouncer', () => {
  it('works in session mode, and a worker in transaction mode does not start', async () => {
    const [bySession, byTransaction] = [await pooler('session'), await pooler('transaction')];
    const trial = await startTrial({
      workers: 1,
      sandbox: { SANDBOX_SEGMENTS: `${segment}=5000`, SANDBOX_REWARDS_FAILURE_SHARE: '0.02' },
      engine: patientCalls,
      throughProxy: (databaseUrl) => Promise.resolve(inSessionMode(bySession.through(databaseUrl))),
      engineOf: (urlFor) => ({ 'worker-2': { DATABASE_URL: inSessionMode(byTransaction.through(urlFor('engine'))) } }),
    });
    started.push(trial);
    const { api, countries, services } = trial.muster;
    const runId = await api.run({ name: 'Pooled', countries, segment, chain: rewardThenMessage });
    await trial.muster.restart('worker-2');
    expect(await services.get('worker-2')?.exited).toBe(1);
    expect(logOf(services.get('worker-2')?.logFile)).toContain(`DATABASE_URL leads to a pooler that ${lent}`);

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '63', scenario: 'PgBouncer in session mode', segment })).toEqual([]);
    for (const service of services.values())
      expect(logOf(service.logFile)).not.toContain('the change feed is not connected');
  });
});

function logOf(file: string | undefined): string {
  return readFileSync(file ?? 'no file', 'utf8');
}
