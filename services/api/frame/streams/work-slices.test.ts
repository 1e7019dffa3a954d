import { describe, expect, it } from 'vitest';
import { allPages, csvRecords, jsonLines, rowStream, viewsOf } from './stream-rows.ts';
import { nextSlice } from './work-slices.ts';

/** Counts the turns of the event loop during the work. */
async function countingTurns<Result>(work: (turn: () => number) => Promise<Result>): Promise<Result> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  count();
  try {
    return await work(() => turns);
  } finally {
    isOver = true;
  }
}

describe('slices of heavy work', () => {
  it('each get their own turn of the event loop, whatever the number of exports', async () => {
    const turnsOfSlices = await countingTurns(async (turn) => {
      const seen: number[] = [];
      const work = async () => {
        for (let slice = 0; slice < 10; slice++) {
          await nextSlice();
          seen.push(turn());
        }
      };
      await Promise.all([work(), work(), work(), work()]);
      return seen;
    });
    expect(new Set(turnsOfSlices).size).toBe(40);
  });

  it.each([
    ['CSV', 1001, csvRecords(['id'], { raw: true, bom: false })],
    ['lines of JSON', 1000, jsonLines],
  ])('have 100 rows each in an export as %s', async (_, lines, writer) => {
    const items = Array.from({ length: 1000 }, (_row, id) => ({ id }));
    const pages = allPages({ items, next: null }, () => Promise.reject(new Error('there is one page')));
    const { chunks, turns } = await countingTurns(async (turn) => {
      const read: unknown[] = [];
      const views = viewsOf(pages, (row) => row);
      for await (const chunk of rowStream(views, writer)) read.push(chunk);
      return { chunks: read, turns: turn() };
    });
    expect(chunks.join('').trimEnd().split(/\r?\n/)).toHaveLength(lines);
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});
