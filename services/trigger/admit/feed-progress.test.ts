import { describe, expect, it } from 'vitest';
import { progressOf, type SeenProgress } from './feed-progress.ts';

const shard = 'award-reward/SG';
const least = 60;

/**
 * Makes ten scans a second of a feed with `load` ready batches. Returns the number of competing batches at each scan.
 */
function lookAt(load: number) {
  let nowMs = 0;
  let done = 0;
  let seen: SeenProgress | null = null;
  return (forMs: number, perSecond: number): number => {
    for (const endMs = nowMs + forMs; nowMs < endMs;) {
      nowMs += 100;
      done += perSecond / 10;
      const chain = { loads: new Map([[shard, load]]), done: new Map([[shard, done]]), depths: new Map([[shard, 1]]) };
      seen = { chain, progress: progressOf(seen, chain, () => least, nowMs), seenAtMs: nowMs };
    }
    return seen?.progress.get(shard)?.competing ?? 0;
  };
}

describe('ready batches of a feed', () => {
  it('all compete for capacity during the first second', () => {
    expect(lookAt(300)(1000, 0)).toBe(300);
  });

  it('take no capacity from other feeds after one second without progress', () => {
    const read = lookAt(300);
    read(5000, 100);
    expect(read(900, 0)).toBe(300);
    expect(read(200, 0)).toBe(0);
  });

  it('compete again as soon as some of them are handled', () => {
    const read = lookAt(300);
    expect(read(3000, 0)).toBe(0);
    expect(read(100, 50)).toBeGreaterThanOrEqual(least);
  });

  it('compete only up to the work of six seconds if workers handle them slowly, but at least up to one round of calls', () => {
    expect(lookAt(800)(20_000, 30)).toBe(180);
    expect(lookAt(800)(20_000, 5)).toBe(least);
    expect(lookAt(40)(20_000, 5)).toBe(40);
  });

  it('all compete if workers handle them as fast as they are fed', () => {
    expect(lookAt(800)(10_000, 266)).toBe(800);
  });
});

describe('a feed whose batches workers all handle between two polls', () => {
  const read = (before: SeenProgress | null, nowMs: number, load: number, done: number): SeenProgress => {
    const chain = { loads: new Map([[shard, load]]), done: new Map([[shard, done]]), depths: new Map([[shard, 1]]) };
    return { chain, progress: progressOf(before, chain, () => least, nowMs), seenAtMs: nowMs };
  };

  it('counts as served until no batch was handled for a second', () => {
    let seen = read(null, 0, 20, 0);
    expect(seen.progress.get(shard)?.isServed).toBe(false);
    for (const nowMs of [100, 200, 300]) seen = read(seen, nowMs, 0, nowMs / 5);
    expect(seen.progress.get(shard)).toMatchObject({ isServed: true, competing: 0 });
    for (const nowMs of [800, 1300]) seen = read(seen, nowMs, 0, 60);
    expect(seen.progress.has(shard)).toBe(false);
  });
});
