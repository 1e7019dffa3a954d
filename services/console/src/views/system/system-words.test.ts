import { expect, test } from 'vitest';
import { system } from '../../../testing/installation/system.ts';
import { formatBytes } from './bytes.ts';
import { describeClocks, findClockProblems } from './clock-words.ts';
import { describeArchive, findArchiveProblems, findPartitionProblems } from './database-words.ts';
import { formatSystem, summarizeServices, findProblems } from './system-words.ts';

test('a setting with two values is a problem', () => {
  expect(findProblems(system)).toEqual([]);
  const settings = [...system.settings, { name: 'QUOTA_OPEN_RUNS', service: 'scheduler', value: '9' }];
  expect(findProblems({ ...system, settings }).map(({ key, text }) => [key, text])).toEqual([
    ['QUOTA_OPEN_RUNS', 'api runs with 5000; scheduler runs with 9. Set the same value and restart them.'],
  ]);
});

const lateClock = { name: 'worker@w9', service: 'worker', region: 'west', aheadMs: -2500, withinMs: 3 };

test('a deviating clock is a problem; if most clocks deviate, the clock of the database is the problem', () => {
  const clocks = { known: 23, apartMs: 2510, offCount: 1, off: [lateClock] };
  expect(findClockProblems({ clocks }).map(({ title }) => title)).toEqual([
    'The clock of worker@w9 is 2,500 ms behind the database’s.',
  ]);
  const many = findClockProblems({ clocks: { ...clocks, offCount: 7 } });
  expect(many.map(({ title }) => title).at(-1)).toBe('6 more clocks are off.');
  const [most] = findClockProblems({ clocks: { ...clocks, offCount: 20 } });
  expect(most?.title).toBe('20 of 23 clocks deviate from the database’s:');
});

test('clocks that no process has compared are described as not compared', () => {
  expect(describeClocks({ known: 0, apartMs: null, offCount: 0, off: [] })).toBe('not compared yet');
  expect(describeClocks({ known: 2, apartMs: 4, offCount: 0, off: [] })).toBe('at most 4 ms apart');
  expect(describeClocks({ known: 2, apartMs: 4000, offCount: 1, off: [lateClock] })).toBe(
    '1 process is off, at most 4,000 ms apart',
  );
});

test('processes are counted by service and region, and deviating versions are problems', () => {
  const [dispatchers, east, west] = system.processes;
  if (!dispatchers || !east || !west) throw new Error('the sample has three lines');
  const odd = { ...west, version: '0.0.9', processes: 1, names: ['worker@w10'] };
  const processes = [dispatchers, east, west, odd];
  expect(summarizeServices({ processes })).toEqual([
    { service: 'dispatcher', processes: 2, version: '0.1.0', isOdd: false, others: [], regions: 'east 2' },
    {
      service: 'worker',
      processes: 22,
      version: '0.1.0',
      isOdd: false,
      others: ['1 of 22 is 0.0.9'],
      regions: 'east 8 · west 14',
    },
  ]);
  const late = { ...dispatchers, version: '0.0.9' };
  expect(summarizeServices({ processes: [late, east] })[0]).toMatchObject({
    version: '0.0.9',
    isOdd: true,
    others: [],
  });
  expect(findProblems({ ...system, processes }).map(({ title }) => title)).toEqual([
    'worker@w10 runs 0.0.9, the other 23 0.1.0.',
  ]);
  const seven = { ...odd, processes: 7, names: ['worker@w10', 'worker@w11'] };
  const [problem] = findProblems({ ...system, processes: [dispatchers, east, west, seven] });
  expect(problem?.title).toBe('7 processes run 0.0.9, the other 23 0.1.0.');
  expect(problem?.text).toContain('They are worker@w10, worker@w11 and others.');
});

test('partition tables that are used up within days or cannot be created are problems', () => {
  const { asOf, partitions } = system;
  const titles = (change: Partial<typeof partitions>) =>
    findPartitionProblems({ asOf, partitions: { ...partitions, ...change } }).map(({ title, text }) => [
      title,
      text.split('.')[0],
    ]);
  expect(titles({})).toEqual([]);
  expect(titles({ runsUntil: '2026-12-01T10:00:00.000Z' })).toEqual([
    ['The tables of the next days are missing:', 'A trigger creates those of runs'],
  ]);
  expect(titles({ jobsUntil: '2026-11-25T10:00:00.000Z' })).toEqual([
    ['The tables of the next days are missing:', 'A scheduler creates those of jobs'],
  ]);
  expect(titles({ cannotMake: ['make_job_days'] }).map(([title]) => title)).toEqual([
    'make_job_days cannot create tables:',
  ]);
});

test('a WAL archive that fails is a problem, unless archiving is off', () => {
  const { logArchive } = system;
  const failing = {
    logArchive: {
      ...logArchive,
      state: 'failing' as const,
      waitingBytes: 48_000_000,
      lastFailed: '00000001000000000000000A',
    },
  };
  const [problem] = findArchiveProblems(failing);
  expect(problem?.title).toBe('The write-ahead log is not archived since 00000001000000000000000A:');
  expect(problem?.text).toMatch(/^48.0 MB wait/);
  expect(findArchiveProblems({ logArchive: { ...logArchive, state: 'behind' } })).toHaveLength(1);
  const off = { logArchive: { ...logArchive, state: 'off' as const, lastArchivedAt: null } };
  expect([findArchiveProblems(off), describeArchive(off)]).toEqual([[], 'the log is not archived by this server']);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_234_567_890, '1.2 GB'],
  [318_000_000_000, '318 GB'],
])('formatBytes formats %d as %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

test('the text that a user copies from the system page contains no secrets', () => {
  const text = formatSystem(system, { name: 'staging', zone: 'UTC' });
  expect(text).toContain('PostgreSQL 18.4');
  expect(text).not.toContain('KAFKA_SASL_PASSWORD');
});
