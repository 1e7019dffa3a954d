import { describe, expect, it } from 'vitest';
import { inLanes, waitingParts, type Part } from './lanes.ts';

interface Named extends Part {
  name: string;
}

/**
 * Returns, for each part, the parts that ran beside it when it began. Every part takes as many turns as it declares.
 */
async function runWithNeighbours(parts: readonly (Named & { turns: number })[], lanes: number) {
  const running = new Set<string>();
  const beside: Record<string, string[]> = {};
  await inLanes(waitingParts(parts), lanes, async ({ name, turns }) => {
    beside[name] = [...running];
    running.add(name);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    running.delete(name);
  });
  return beside;
}

describe('test parts in lanes', () => {
  it('run in order with a limit on concurrency', async () => {
    const parts = [9, 5, 20, 1].map((turns, index) => ({ name: `${index + 1}`, turns }));
    const beside = await runWithNeighbours(parts, 2);
    expect(Object.keys(beside)).toEqual(['1', '2', '3', '4']);
    expect(beside).toMatchObject({ 1: [], 2: ['1'] });
    expect(Object.values(beside).every((others) => others.length < 2)).toBe(true);
  });

  it('run an exclusive part by itself and continue after that part', async () => {
    const parts = [
      ...[1, 2].map((turns) => ({ name: `before ${turns}`, turns: turns * 5 })),
      ...[1, 2].map((turns) => ({ name: `alone ${turns}`, turns, alone: true })),
      ...[1, 2].map((turns) => ({ name: `behind ${turns}`, turns: turns * 5 })),
    ];
    const beside = await runWithNeighbours(parts, 2);
    expect(beside).toMatchObject({
      'before 2': ['before 1'],
      'alone 1': [],
      'alone 2': [],
      'behind 1': [],
      'behind 2': ['behind 1'],
    });
  });

  it('fill the lane beside a long part before an exclusive part', async () => {
    let nowMs = 0;
    const ends: { atMs: number; end: () => void }[] = [];
    const began: string[] = [];
    const partOf = (name: string, minutes: number, alone = false) => ({ name, minutes, alone });
    const parts = [
      ...[partOf('long', 13), partOf('alone', 2, true), partOf('too long', 14)],
      ...[partOf('five', 5), partOf('eight', 8), partOf('one', 1)],
    ];
    const all = inLanes(
      waitingParts(parts),
      2,
      ({ name, minutes }) =>
        new Promise((end) => {
          began.push(`${name} at ${nowMs / 60_000}`);
          ends.push({ atMs: nowMs + minutes * 60_000, end });
        }),
      () => nowMs,
    );
    while (ends.length > 0) {
      const [first] = ends.toSorted((a, b) => a.atMs - b.atMs);
      if (first === undefined) break;
      ends.splice(ends.indexOf(first), 1);
      nowMs = first.atMs;
      first.end();
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
    await all;
    expect(began).toEqual(['long at 0', 'five at 0', 'eight at 5', 'alone at 13', 'too long at 15', 'one at 15']);
  });

  it('fail together with the first failed part', async () => {
    const failing = inLanes(waitingParts([{}]), 2, () => Promise.reject(new Error('cannot be started')));
    await expect(failing).rejects.toThrow('cannot be started');
  });
});
