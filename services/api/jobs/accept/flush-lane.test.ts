import { describe, expect, it } from 'vitest';
import { setImmediate as turn } from 'node:timers/promises';
import { createFlushLane } from './flush-lane.ts';

/** A lane whose flushes end when the test says so. */
function laneUnderTest({ maxItems = 5, inFlight = 1, besideFrom = 1 } = {}) {
  const flushes: { items: readonly string[]; place: number; end: (error?: Error) => Promise<void> }[] = [];
  const lane = createFlushLane<string, string>({
    maxItems,
    inFlight,
    besideFrom,
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
  const said = () => flushes.map(({ items }) => items.join(''));
  return { lane, flushes, said };
}

describe('a lane of flushes', () => {
  it('takes together what is there, and what comes during a flush with the next', async () => {
    const { lane, flushes, said } = laneUnderTest();
    const [first, second] = [lane.add(['a']), lane.add(['b', 'c'])];
    await turn();
    const late = [lane.add(['d']), lane.add(['e'])];
    await turn();
    expect(said()).toEqual(['abc']);

    await flushes[0]?.end();
    expect(await Promise.all([first, second])).toEqual([['a!'], ['b!', 'c!']]);
    expect(said()).toEqual(['abc', 'de']);
    await flushes[1]?.end();
    expect(await Promise.all(late)).toEqual([['d!'], ['e!']]);
  });

  it('is never larger than it may be, and tears nothing apart that came together', async () => {
    const { lane, flushes, said } = laneUnderTest({ maxItems: 3 });
    for (const items of [['a', 'b'], ['c', 'd'], ['e'], ['f']]) void lane.add(items);
    await turn();
    await flushes[0]?.end();
    await flushes[1]?.end();
    expect(said()).toEqual(['ab', 'cde', 'f']);
  });

  it('has as many under way as it may, each at a place of its own', async () => {
    const { lane, flushes, said } = laneUnderTest({ maxItems: 1, inFlight: 2 });
    for (const item of ['a', 'b', 'c']) void lane.add([item]);
    await turn();
    expect(said()).toEqual(['a', 'b']);
    expect(new Set(flushes.map(({ place }) => place))).toEqual(new Set([0, 1]));
    await flushes[1]?.end();
    expect(flushes[2]?.place).toBe(flushes[1]?.place);
  });

  it('lets few wait for the flush under way, and begins another beside it when they are many', async () => {
    const { lane, flushes, said } = laneUnderTest({ inFlight: 2, besideFrom: 3 });
    void lane.add(['a']);
    await turn();
    void lane.add(['b', 'c']);
    await turn();
    expect(said()).toEqual(['a']);
    void lane.add(['d']);
    await turn();
    expect(said()).toEqual(['a', 'bcd']);

    for (const item of ['e', 'f']) void lane.add([item]);
    await flushes[1]?.end();
    expect(said()).toEqual(['a', 'bcd']);
    await flushes[0]?.end();
    expect(said()).toEqual(['a', 'bcd', 'ef']);
  });

  it('fails those that were in a flush that failed, and goes on', async () => {
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
