import { describe, expect, it } from 'vitest';
import { setImmediate as turn } from 'node:timers/promises';
import { createFlushLane } from './flush-lane.ts';

/** Creates a lane whose flushes end only when the test ends them. */
function laneUnderTest({ maxItems = 5, inFlight = 1, minItemsWhileBusy = 1 } = {}) {
  const flushes: { items: readonly string[]; place: number; end: (error?: Error) => Promise<void> }[] = [];
  const lane = createFlushLane<string, string>({
    maxItems,
    inFlight,
    minItemsWhileBusy,
    flush: (items, place) =>
      new Promise((resolve, reject) => {
        const end = async (error?: Error) => {
          if (error) reject(error);
          else resolve(items.map((item) => `${item}!`));
          await turn();
        };
        flushes.push({ items, place, end });
      }),
  });
  const flushedItems = () => flushes.map(({ items }) => items.join(''));
  return { lane, flushes, flushedItems };
}

describe('a queue that collects items for flushes', () => {
  it('flushes waiting items together, and items that arrive during a flush with the next', async () => {
    const { lane, flushes, flushedItems } = laneUnderTest();
    const [first, second] = [lane.add(['a']), lane.add(['b', 'c'])];
    await turn();
    const late = [lane.add(['d']), lane.add(['e'])];
    await turn();
    expect(flushedItems()).toEqual(['abc']);

    await flushes[0]?.end();
    expect(await Promise.all([first, second])).toEqual([['a!'], ['b!', 'c!']]);
    expect(flushedItems()).toEqual(['abc', 'de']);
    await flushes[1]?.end();
    expect(await Promise.all(late)).toEqual([['d!'], ['e!']]);
  });

  it('does not exceed its maximum size, and flushes items together that were added together', async () => {
    const { lane, flushes, flushedItems } = laneUnderTest({ maxItems: 3 });
    for (const items of [['a', 'b'], ['c', 'd'], ['e'], ['f']]) void lane.add(items);
    await turn();
    await flushes[0]?.end();
    await flushes[1]?.end();
    expect(flushedItems()).toEqual(['ab', 'cde', 'f']);
  });

  it('runs at most the maximum number of flushes at a time, each with a place number of its own', async () => {
    const { lane, flushes, flushedItems } = laneUnderTest({ maxItems: 1, inFlight: 2 });
    for (const item of ['a', 'b', 'c']) void lane.add([item]);
    await turn();
    expect(flushedItems()).toEqual(['a', 'b']);
    expect(new Set(flushes.map(({ place }) => place))).toEqual(new Set([0, 1]));
    await flushes[1]?.end();
    expect(flushes[2]?.place).toBe(flushes[1]?.place);
  });

  it('keeps a few items until the flush in progress ends, but starts another flush for many items', async () => {
    const { lane, flushes, flushedItems } = laneUnderTest({ inFlight: 2, minItemsWhileBusy: 3 });
    void lane.add(['a']);
    await turn();
    void lane.add(['b', 'c']);
    await turn();
    expect(flushedItems()).toEqual(['a']);
    void lane.add(['d']);
    await turn();
    expect(flushedItems()).toEqual(['a', 'bcd']);

    for (const item of ['e', 'f']) void lane.add([item]);
    await flushes[1]?.end();
    expect(flushedItems()).toEqual(['a', 'bcd']);
    await flushes[0]?.end();
    expect(flushedItems()).toEqual(['a', 'bcd', 'ef']);
  });

  it('rejects the items of a failed flush and continues', async () => {
    const { lane, flushes } = laneUnderTest();
    const lost = expect(lane.add(['a'])).rejects.toThrow('scripted');
    await turn();
    const kept = lane.add(['b']);
    await flushes[0]?.end(new Error('scripted failure'));
    await lost;
    await flushes[1]?.end();
    expect(await kept).toEqual(['b!']);
  });
});
