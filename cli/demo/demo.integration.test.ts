import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runReport } from '../../shared/contracts/runs.ts';
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

describe('muster demo', () => {
  test('carries a campaign out, prints a report that balances, and leaves nothing behind', async () => {
    const { code, out, notes } = await runDemo(['--users', '1000', '--workers', '1', '--exit', '--json']);

    expect({ code, notes: code === 0 ? '' : notes }).toEqual({ code: 0, notes: '' });
    const report = runReport.parse(JSON.parse(out));
    expect(report).toMatchObject({ state: 'completed_with_failures', balanced: true, audience: { counted: 1000 } });
    expect(report.steps.map(({ pending, unknown }) => pending + unknown)).toEqual([0, 0]);
    expect(report.countries.map(({ audience }) => audience).toSorted((a, b) => a - b)).toEqual([250, 350, 400]);
    expect(await readdir(temporary)).toEqual([]);
  });

  test('says in one line what keeps it from starting', async () => {
    const { code, out, notes } = await runDemo(['--exit'], { KAFKA_BROKERS: '' });
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(notes.trimEnd().split('\n').at(-1)).toContain('KAFKA_BROKERS is not');
  });
});
