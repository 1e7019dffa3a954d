import { describe, expect, it } from 'vitest';
import { walk, walkOf } from './walk.ts';
import { simulate } from './world.ts';

/** `SEED=17` repeats one walk, `SEEDS=20000` runs more walks, `SEEDS_FROM=5001` runs others. */
const { SEED, SEEDS, SEEDS_FROM } = process.env;
const first = Number(SEED ?? SEEDS_FROM ?? 1);
const count = SEED === undefined ? Number(SEEDS ?? 1500) : 1;
const last = first + count - 1;

describe('random walks of the simulation', () => {
  it('have the same result for the same seed', async () => {
    for (const seed of [11, 12, 13]) {
      const [{ evidence: before, ...once }, { evidence: after, ...again }] = [
        await simulate(walkOf(seed)),
        await simulate(walkOf(seed)),
      ];
      expect(again).toEqual(once);
      expect(after).toMatchObject({ effects: before.effects, lines: before.lines, runState: before.runState });
    }
  });

  it(
    'pass all checks if failed users are retried in a child run',
    async () => {
      const broken: { seed: number; found: string[] }[] = [];
      for (let seed = first; seed <= Math.max(first, first - 1 + count / 15) && broken.length < 10; seed++) {
        const found = await walk(seed, { retried: true });
        if (found.length > 0) broken.push({ seed, found: found.slice(0, 5) });
      }
      expect(broken).toEqual([]);
    },
    Math.max(120_000, count * 10),
  );

  it(
    'call each user with the parameters of one variant, in retries as well',
    async () => {
      const broken: { seed: number; found: string[] }[] = [];
      for (let seed = first; seed <= Math.max(first, first - 1 + count / 30) && broken.length < 10; seed++) {
        const found = await walk(seed, { varied: true, retried: seed % 2 === 0 });
        if (found.length > 0) broken.push({ seed, found: found.slice(0, 5) });
      }
      expect(broken).toEqual([]);
    },
    Math.max(120_000, count * 10),
  );

  it(
    'exceed no cap in three campaigns that share their users',
    async () => {
      const broken: { seed: number; found: string[] }[] = [];
      for (let seed = first; seed <= Math.max(first, first - 1 + count / 15) && broken.length < 10; seed++) {
        const found = await walk(seed, { capped: true });
        if (found.length > 0) broken.push({ seed, found: found.slice(0, 5) });
      }
      expect(broken).toEqual([]);
    },
    Math.max(120_000, count * 10),
  );

  it(
    'pass all checks',
    async () => {
      const broken: { seed: number; found: string[] }[] = [];
      for (let seed = first; seed <= last && broken.length < 10; seed++) {
        const found = await walk(seed);
        if (found.length > 0) broken.push({ seed, found: found.slice(0, 5) });
      }
      expect(broken).toEqual([]);
    },
    Math.max(120_000, count * 100),
  );
});
