import { describe, expect, it } from 'vitest';
import { drawMutants, listMutants, shardOf } from './draw-mutants.ts';
import { readRandomOptions } from './random-options.ts';

const code = 'export const a = (b: number) => (b < 1 && b !== 2 ? 3 : 4);';
const files = ['shared/domain/a.ts', 'services/worker/a/b.ts', 'services/api/c.ts'];
const all = listMutants(new Map(files.map((file) => [file, code])));

describe('a draw of mutants', () => {
  it('covers the areas of the product with logic, without entry points', () => {
    expect(new Set(all.map(({ file }) => file))).toEqual(new Set(files));
    const others = ['services/worker/main.ts', 'services/sandbox/a.ts', 'shared/kafka/a.ts', 'cli/a.ts'];
    expect(listMutants(new Map(others.map((file) => [file, code])))).toEqual([]);
  });

  it('is identical for the same seed whatever the order of files, and differs for another seed', () => {
    expect(drawMutants(all.toReversed(), 10, 7)).toEqual(drawMutants(all, 10, 7));
    expect(drawMutants(all, 10, 8)).not.toEqual(drawMutants(all, 10, 7));
  });

  it('keeps its first mutants when more are drawn', () => {
    expect(drawMutants(all, 12, 7).slice(0, 5)).toEqual(drawMutants(all, 5, 7));
  });

  it('is split into shards that contain each mutant once', () => {
    const drawn = drawMutants(all, 10, 7);
    const parts = [1, 2, 3].map((index) => shardOf(drawn, { index, of: 3 }));
    expect(parts.map(({ length }) => length)).toEqual([4, 3, 3]);
    expect(new Set(parts.flat())).toEqual(new Set(drawn));
  });
});

describe('the options of a draw', () => {
  it('default to two hundred mutants of a random seed', () => {
    const { seed, ...others } = readRandomOptions([]);
    expect(seed).toBeGreaterThan(0);
    expect(others).toEqual({
      count: 200,
      shard: { index: 1, of: 1 },
      at: [],
      nearest: Infinity,
      projects: ['unit', 'simulation'],
    });
    expect(readRandomOptions(['--integration']).projects).toEqual(['unit', 'simulation', 'integration']);
    expect(readRandomOptions(['--only', 'integration']).projects).toEqual(['integration']);
    expect(readRandomOptions(['--count', '8', '--seed', '3', '--shard', '2/4', '--at', 'a.ts:1'])).toMatchObject({
      count: 8,
      seed: 3,
      shard: { index: 2, of: 4 },
      at: ['a.ts:1'],
    });
  });

  it.each([
    [['--count', '0'], '--count 0: expected a whole number'],
    [['--seed', 'x'], '--seed x: expected a whole number'],
    [['--nearest', '0'], '--nearest 0: expected a whole number'],
    [['--shard', '0/4'], '--shard 0/4: expected <part>/<parts>'],
    [['--shard', '5/4'], '--shard 5/4: expected <part>/<parts>'],
    [['--only', 'e2e'], '--only e2e: expected one of unit, simulation, integration'],
    [['--shard', '1'], '--shard 1: expected <part>/<parts>'],
  ])('are rejected if the draw would be empty: %j', (args, message) => {
    expect(() => readRandomOptions(args)).toThrow(message);
  });
});
