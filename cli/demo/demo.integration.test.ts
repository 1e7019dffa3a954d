import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import pg from 'pg';
import { z } from 'zod';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { runReport } from '../../shared/contracts/runs/runs.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../../test/support/postgres-database.ts';

let database: TestDatabase;
let temporary: string;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  temporary = await mkdtemp(join(tmpdir(), 'demo-test-'));
});

afterAll(async () => {
  await database.drop();
  await rm(temporary, { recursive: true });
});

interface Ended {
  code: number | string;
  out: string;
  notes: string;
}

/** The demo as a process of its own, on the servers of the test run. */
function runDemo(args: readonly string[], over: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const servers = { INFRA: 'external', DATABASE_URL: database.url, KAFKA_BROKERS: inject('kafkaBrokers') };
  const env = { ...process.env, ...servers, TMPDIR: temporary, ...over };
  const muster = join(import.meta.dirname, '../muster.ts');
  return new Promise((resolve) => {
    execFile(process.execPath, [muster, 'demo', ...args], { env }, (error, out, notes) => {
      resolve({ code: error?.code ?? 0, out, notes });
    });
  });
}

const logger = createLogger('demo-test', 'silent');

const counted = z.object({ runs: z.string(), keys: z.string() });

/** Runs and keys of the installation that the demo must not touch. */
async function rowsOf(url: string) {
  return await asking(url, async (client) => {
    const { rows } = await client.query<object>(
      'select (select count(*) from runs) as runs, (select count(*) from api_keys) as keys',
    );
    return counted.parse(rows[0]);
  });
}

async function demoDatabases(url: string): Promise<string[]> {
  return await asking(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname like 'muster\\_demo\\_%'`,
    );
    return rows.map(({ name }) => name);
  });
}

async function asking<Result>(url: string, ask: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}

describe('muster demo', () => {
  describe('a demo on the servers of a real installation', () => {
    const kafka = createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'demo-test', logger });
    const admin = kafka.admin();
    // Other test files create and delete topics meanwhile. Topics of these two kinds belong to this test only.
    const ownTopic = `muster.of-a-real-installation-${randomUUID()}`;
    const topics = async () =>
      (await admin.listTopics()).filter((name) => name === ownTopic || name.startsWith('muster_demo_'));
    let rowsBefore: Awaited<ReturnType<typeof rowsOf>>;
    let ended: Ended;

    beforeAll(async () => {
      await migrate(database.url);
      rowsBefore = await rowsOf(database.url);
      await admin.connect();
      await admin.createTopics({ topics: [{ topic: ownTopic }] });
      ended = await runDemo(['--users', '1000', '--workers', '1', '--exit', '--json']);
    }, 120_000);
    afterAll(async () => {
      await admin.deleteTopics({ topics: [ownTopic] });
      await admin.disconnect();
    });

    test('executes a campaign, prints a balanced report and removes everything it created', async () => {
      const { code, out, notes } = ended;

      expect({ code, notes: code === 0 ? '' : notes }).toEqual({ code: 0, notes: '' });
      const report = runReport.parse(JSON.parse(out));
      expect(report).toMatchObject({ state: 'completed_with_failures', balanced: true, audience: { counted: 1000 } });
      expect(report.steps.map(({ pending, unknown }) => pending + unknown)).toEqual([0, 0]);
      expect(notes).toContain('4 accepted = 3 called + 1 cancelled + 0 pending');
      expect(notes).toContain('beside it: a template, drafts, a campaign that recurs');
      expect(report.cost).toMatchObject({ currency: 'SGD', units: 2 * (report.steps[0]?.succeeded ?? 0) });
      // `succeeded` counts accepted messages. Their receipts are counted separately, and may still arrive.
      const { succeeded = 0, receipts } = report.steps[1] ?? {};
      const { delivered = 0, undelivered = 0, awaiting = 0 } = receipts ?? {};
      expect(delivered).toBeGreaterThan(0);
      expect(delivered + undelivered + awaiting).toBe(succeeded);
      expect(report.countries.map(({ audience }) => audience).toSorted((x, y) => x - y)).toEqual([250, 350, 400]);
      expect(await readdir(temporary)).toEqual([]);
    });

    test('changes nothing in the database, topics and keys of the installation', async () => {
      const { notes } = ended;
      expect(notes).toMatch(/on the given Kafka .* in database and topics muster_demo_[0-9a-f]{8}, which are removed/);
      expect(await rowsOf(database.url)).toEqual(rowsBefore);
      expect(await topics()).toEqual([ownTopic]);
      expect(await demoDatabases(database.url)).toEqual([]);
    });
  });

  test('prints one line with the cause if it cannot start', async () => {
    const { code, out, notes } = await runDemo(['--exit'], { KAFKA_BROKERS: '' });
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(notes.trimEnd().split('\n').at(-1)).toContain('KAFKA_BROKERS is not');
  });
});

describe('muster demo --shop', () => {
  test('prints a report that matches the tables of the shop and the inbox, and removes everything it created', async () => {
    const { code, out, notes } = await runDemo(['--shop', '--users', '500', '--workers', '1', '--exit', '--json']);

    expect({ code, notes: code === 0 ? '' : notes }).toEqual({ code: 0, notes: '' });
    const report = runReport.parse(JSON.parse(out));
    // 60 % ordered before and not within 90 days; of these, every thirtieth has closed the account.
    expect(report).toMatchObject({
      state: 'completed_with_failures',
      balanced: true,
      audience: { counted: 300 },
      steps: [
        { audience: 300, succeeded: 290, failed: 10, pending: 0, unknown: 0 },
        { audience: 300, succeeded: 285, failed: 5, skipped: 10, pending: 0, unknown: 0 },
      ],
    });
    expect(report.countries.map(({ country }) => country).toSorted()).toEqual(['ID', 'SG', 'VN']);
    expect(notes).toContain('500 customers and 900 orders in a database of its own');
    expect(notes).toMatch(/inbox +http:\/\/127\.0\.0\.1:\d+\//);
    expect(notes.split('\n').filter((line) => /^ {2}[✔✖] [a-z]+ = /.test(line))).toEqual([
      '  ✔ audience = customers of the segment: 300',
      '  ✔ succeeded = credits of points: 290',
      '  ✔ succeeded = credited customers: 290',
      '  ✔ accepted = mails in the inbox: 285',
      '  ✔ accepted = recipients of mails: 285',
    ]);
    expect(await demoDatabases(database.url)).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
  }, 120_000);
});

/** Command that previews the mail of a customer, in addition to the commands that `muster up` prints. */
const previewOfAnOffer = 'npm run -s muster -- action-types preview send-offer offer=tea --user sg-000001 --country SG';

describe('muster up', () => {
  test.each([
    ['a sandbox', [], '', 'completed'],
    ['a shop', ['--shop'], previewOfAnOffer, 'Arif, we miss you: tea'],
  ])(
    'keeps serving with %s, prints commands that execute a campaign, and cleans up after Ctrl-C',
    async (_name, more, further, reported) => {
      const servers = { INFRA: 'external', DATABASE_URL: database.url, KAFKA_BROKERS: inject('kafkaBrokers') };
      const environment = { ...process.env, ...servers, TMPDIR: temporary };
      const muster = join(import.meta.dirname, '../muster.ts');
      const args = [muster, 'up', '--users', '1000', '--workers', '1', ...more];
      const up = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
      up.stderr.setEncoding('utf8');
      let notes = '';
      for await (const text of up.stderr.iterator({ destroyOnReturn: false })) {
        notes += z.string().parse(text);
        if (notes.includes('serving until Ctrl-C')) break;
      }
      const lines = notes.slice(notes.indexOf('export MUSTER_API_URL')).split('serving until')[0];
      const script = `${z.string().parse(lines)}\n${further}`.replaceAll(
        'npm run -s muster --',
        `'${process.execPath}' '${muster}'`,
      );
      const tried = await new Promise<Ended>((resolve) => {
        execFile('bash', ['-e', '-c', script], { env: environment }, (error, out, stderr) => {
          resolve({ code: error?.code ?? 0, out, notes: stderr });
        });
      });
      up.stderr.resume();
      const ended = once(up, 'exit');
      up.kill('SIGINT');

      expect(await ended).toEqual([0, null]);
      expect({ code: tried.code, notes: tried.code === 0 ? '' : tried.notes }).toEqual({ code: 0, notes: '' });
      expect(tried.notes + tried.out).toContain('completed');
      expect(tried.notes + tried.out).toContain(reported);
      expect(await demoDatabases(database.url)).toEqual([]);
      expect(await readdir(temporary)).toEqual([]);
    },
    120_000,
  );
});
