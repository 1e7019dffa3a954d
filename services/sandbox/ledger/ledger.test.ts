import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLedger } from './ledger-writer.ts';
import { readLedger, type LedgerLine } from './ledger.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  path = join(folder, 'effects.jsonl');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function lineOf(over: Partial<LedgerLine>): LedgerLine {
  return {
    service: 'rewards',
    run: 'run_1',
    step: 1,
    country: 'SG',
    key: 'key-1',
    attempt: 1,
    at: '2026-11-21T00:00:00.000Z',
    applied: [],
    repeated: 0,
    failed: [],
    ...over,
  };
}

test('the ledger adds up effects per run, step and user', async () => {
  const ledger = await openLedger(path);
  await Promise.all([
    ledger.append(lineOf({ applied: ['a', 'b"\n🎉'], failed: ['c'] })),
    ledger.append(lineOf({ applied: ['a'], repeated: 1, country: 'VN' })),
    ledger.append(lineOf({ applied: ['a'], step: 2 })),
  ]);
  await ledger.append(lineOf({ applied: ['a'], run: 'run_2' }));
  await ledger.close();

  const read = await readLedger(path);

  expect(read.steps).toHaveLength(3);
  expect(read.of('run_1', 1)).toMatchObject({ calls: 2, repeated: 1 });
  expect([...read.of('run_1', 1).applied]).toEqual([
    ['a', 2],
    ['b"\n🎉', 1],
  ]);
  expect([...read.of('run_1', 1).failed]).toEqual([['c', 1]]);
  expect(read.of('run_1', 1).countries.get('a')).toBe('SG');
  expect(read.of('run_1', 2).applied.get('a')).toBe(1);
  expect(read.of('run_3', 1).applied.size).toBe(0);
});

test('a ledger line is in the file when its append resolves, and a reopened ledger appends after it', async () => {
  const first = await openLedger(path);
  await first.append(lineOf({ applied: ['a'] }));
  expect((await readLedger(path)).of('run_1', 1).applied.get('a')).toBe(1);
  await first.close();

  const second = await openLedger(path);
  await second.append(lineOf({ applied: ['b'] }));
  await second.close();

  expect((await readLedger(path)).of('run_1', 1).applied.size).toBe(2);
});

test('a ledger line that a crash truncated is ignored', async () => {
  const ledger = await openLedger(path);
  await ledger.append(lineOf({ applied: ['a'] }));
  await ledger.close();
  await appendFile(path, JSON.stringify(lineOf({ applied: ['b'] })).slice(0, 40));

  expect((await readLedger(path)).of('run_1', 1).applied.size).toBe(1);
});

test('a broken ledger line before the end is an error', async () => {
  await appendFile(path, `{"torn":\n${JSON.stringify(lineOf({}))}\n`);
  await expect(readLedger(path)).rejects.toThrow();
});

test('the ledger counts repeats of one key apart from second effects under another key', async () => {
  const ledger = await openLedger(path);
  await ledger.append(lineOf({ key: 'key-1', applied: ['a', 'b'] }));
  await ledger.append(lineOf({ key: 'key-1', attempt: 2, applied: ['a', 'b'], overlapping: 1 }));
  await ledger.append(lineOf({ key: 'key-2', applied: ['b'] }));
  await ledger.append(lineOf({ key: 'key-3', applied: ['c'] }));
  await ledger.append(lineOf({ key: 'key-3', attempt: 2, applied: ['d'], repeated: 1 }));
  await ledger.close();

  const step = (await readLedger(path)).of('run_1', 1);

  expect([...step.applied]).toEqual([
    ['a', 2],
    ['b', 3],
    ['c', 1],
    ['d', 1],
  ]);
  expect([...step.appliedUnderKeys]).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 1],
    ['d', 1],
  ]);
  expect([...step.keys].filter(([, { isAppliedAgain }]) => isAppliedAgain).map(([key]) => key)).toEqual(['key-1']);
  expect(step.overlapping).toBe(1);
});
