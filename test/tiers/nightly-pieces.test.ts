import { describe, expect, it } from 'vitest';
import { parseEntries, renderEntries, type NightlyEntry } from './nightly-entries.ts';
import { judgeFault } from './nightly-faults.ts';
import { judgeMutants, judgeMutations } from './nightly-mutations.ts';
import type { Came } from './nightly-outcome.ts';
import { parseNightlyPage, renderNightlyPage } from './nightly-page.ts';
import { runPieces, type PieceOutcome, type PieceWork } from './nightly-pieces.ts';
import { allShards, itemsOfShard } from './nightly-shard.ts';

const entry = (key: string, changes: Partial<NightlyEntry> = {}): NightlyEntry => ({
  key,
  when: '2026-11-01 02:00 UTC',
  commit: '28389f16',
  minutes: 12,
  note: 'rows 9, 12',
  details: [],
  verdict: 'passed',
  passed: 6,
  failed: 0,
  ...changes,
});
const mapOf = (...entries: NightlyEntry[]) => new Map(entries.map((each) => [each.key, each]));

describe('the pieces of a part', () => {
  const broken = entry('test/faults/b.test.ts', {
    verdict: 'FAILED',
    commit: '28389f16+',
    note: '',
    failed: 1,
    details: ['FAILED b: row 12 (a) > stands', '| worker | 3 |'],
  });
  const keys = ['test/faults/a.test.ts', broken.key, 'test/faults/c.test.ts'];
  const entries = mapOf(entry('test/faults/a.test.ts'), broken);

  it('are parsed from the page as they were written', () => {
    const displayed = renderEntries(keys, entries);
    const section = {
      name: 'faults',
      lastRun: '2026-11-01 02:00 UTC, at 28389f16, 12 min',
      passed: false,
      what: 'all',
    };
    const [read] = parseNightlyPage(renderNightlyPage([{ ...section, view: displayed }], 'two cores'));
    expect(parseEntries(read?.view ?? '')).toEqual(entries);
    expect(renderEntries(keys, parseEntries(displayed))).toBe(displayed);
  });

  it('are listed as never run before their first run', () => {
    expect(renderEntries(keys, entries).split('\n').at(-1)).toBe('never run  test/faults/c.test.ts');
  });
});

const good: PieceOutcome = { verdict: 'passed', passed: 2, failed: 0, note: '', details: [] };

async function runWith(changes: Partial<PieceWork>, known: readonly NightlyEntry[] = [], withinMs = 3_600_000) {
  let nowMs = Date.parse('2026-11-28T14:00:00Z');
  const ran: string[] = [];
  const reported: Came[] = [];
  const work: PieceWork = {
    what: 'all faults',
    keys: ['a', 'b', 'c'],
    chosen: ['a', 'b', 'c'],
    atOnce: 1,
    limitMs: 3_600_000,
    isAlone: () => false,
    run: (key) => {
      ran.push(key);
      nowMs += 600_000;
      return Promise.resolve(good);
    },
    ...changes,
  };
  const report = (came: Came) => void reported.push(came);
  const came = await runPieces(work, {
    known: mapOf(...known),
    commit: '0123abcd',
    withinMs,
    nowMs: () => nowMs,
    report,
  });
  return { came, ran, reported };
}

describe('a run of pieces', () => {
  it('keeps the results of other pieces', async () => {
    const { came } = await runWith({ chosen: ['b'] }, [entry('a'), entry('b')]);
    expect(came.view.split('\n')).toEqual([
      'passed  2026-11-01 02:00 UTC, at 28389f16, 12 min: 6 passed, 0 failed  a (rows 9, 12)',
      'passed  2026-11-28 14:00 UTC, at 0123abcd, 10 min: 2 passed, 0 failed  b',
      'never run  c',
    ]);
    expect(came).toMatchObject({
      passed: false,
      endedWell: true,
      what: 'all faults: 2 of 3 were run, 1 were never run, 0 failed',
    });
  });

  it('begins with pieces that were never run, then the oldest', async () => {
    const known = [entry('a', { when: '2026-11-20 02:00 UTC' }), entry('c', { when: '2026-11-10 02:00 UTC' })];
    expect((await runWith({}, known)).ran).toEqual(['b', 'c', 'a']);
  });

  it('reports its state after each piece', async () => {
    const { reported } = await runWith({});
    expect(reported.map(({ what }) => what.slice(-46))).toEqual([
      expect.stringContaining('1 of 3 were run'),
      expect.stringContaining('2 of 3 were run'),
      expect.stringContaining('3 of 3 were run'),
    ]);
  });

  it('fails if a piece failed, threw or was not reached', async () => {
    const failing = await runWith({ run: () => Promise.resolve({ ...good, verdict: 'FAILED' }) });
    expect(failing.came).toMatchObject({ passed: false, endedWell: false });
    const broken = await runWith({ run: () => Promise.reject(new Error('spawn ENOENT')) });
    expect(broken.came.view).toContain('(broke off)\n    spawn ENOENT');
    const late = await runWith({}, [], 11 * 60_000);
    expect(late.ran).toEqual(['a']);
    expect(late.came).toMatchObject({ endedWell: false });
    const cutOff = await runWith({ run: () => Promise.resolve(undefined) }, [entry('a')]);
    expect(cutOff.came.view).toContain('2026-11-01 02:00 UTC, at 28389f16');
    expect(cutOff.came.endedWell).toBe(false);
  });

  it('rejects a shard without pieces', async () => {
    await expect(runWith({ chosen: [] })).rejects.toThrow('there is nothing to run');
  });
});

describe('the shards of a part', () => {
  const items = Array.from({ length: 30 }, (_, index) => ({ name: `${index}`, minutes: 1 + (index % 9) }));
  const shards = [1, 2, 3, 4].map((index) => itemsOfShard(items, { index, of: 4 }, ({ minutes }) => minutes));

  it('contain each item once and take about the same time', () => {
    expect(shards.flat().length).toBe(items.length);
    expect(new Set(shards.flat()).size).toBe(items.length);
    const minutes = shards.map((shard) => shard.reduce((sum, item) => sum + item.minutes, 0));
    expect(Math.max(...minutes) - Math.min(...minutes)).toBeLessThanOrEqual(2);
  });

  it('are named by their position', () => expect(allShards(2)).toEqual(['1/2', '2/2']));
});

describe('the verdict on a piece', () => {
  it('is passed for a fault file if its tests passed, and failed if one failed or none ran', () => {
    const test = { kind: 'test', tier: 'faults', file: 'b.test.ts', name: 'row 9', state: 'passed' } as const;
    expect(judgeFault(0, [test], [12, 9, 9])).toMatchObject({ verdict: 'passed', note: 'rows 9, 12', details: [] });
    expect(judgeFault(1, [test, { ...test, name: 'row 12', state: 'failed' }], [])).toMatchObject({
      verdict: 'FAILED',
      passed: 1,
      failed: 1,
      details: ['FAILED b.test.ts: row 12'],
    });
    expect(judgeFault(0, [], [])).toMatchObject({ verdict: 'FAILED', details: ['no test has passed'] });
  });

  it('is passed for mutations if all were noticed', () => {
    const words = 'noticed    without: a\n2 of 2 noticed\n';
    expect(judgeMutations({ code: 0, words })).toMatchObject({ verdict: 'passed', passed: 2, failed: 0 });
    const missed = 'UNNOTICED  without: b\n1 of 2 noticed\n';
    expect(judgeMutations({ code: 1, words: missed })).toMatchObject({
      verdict: 'FAILED',
      failed: 1,
      details: ['UNNOTICED  without: b'],
    });
    expect(judgeMutations({ code: null, words: 'noticed    without: a\n' })).toMatchObject({
      verdict: 'FAILED',
      note: 'did not come to its end',
    });
  });

  it('is passed for random mutants if 85 % were noticed', () => {
    const words = '| room | noticed |\nUNNOTICED a.ts:3 negated condition\n17 of 20 noticed\n';
    expect(judgeMutants({ code: 0, words }, 7)).toMatchObject({
      verdict: 'passed',
      passed: 17,
      failed: 3,
      note: 'seed 7, 85.0 % noticed',
      details: ['| room | noticed |', 'UNNOTICED a.ts:3 negated condition'],
    });
    expect(judgeMutants({ code: 0, words: '16 of 20 noticed' }, 7).verdict).toBe('FAILED');
    expect(judgeMutants({ code: 0, words: '' }, 7).verdict).toBe('FAILED');
  });
});
