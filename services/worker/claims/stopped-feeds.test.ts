import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createStoppedFeeds } from './stopped-feeds.ts';

/** Of these feeds, `paused` are stopped; what was asked is remembered. */
function setUp(paused: string[]) {
  const clock = createSettableClock();
  const asked: string[][] = [];
  const stoppedOf = (feedIds: readonly string[]) => {
    asked.push([...feedIds]);
    return Promise.resolve(feedIds.filter((feedId) => paused.includes(feedId)));
  };
  return { clock, asked, stops: createStoppedFeeds({ directory: { stoppedOf }, clock }) };
}

describe('feeds whose runs were stopped', () => {
  it('are looked for twice a second, and only while somebody waits for a slot', async () => {
    const { clock, asked, stops } = setUp(['paused']);
    expect(await stops.look(() => [])).toEqual([]);
    expect(asked).toEqual([]);
    expect(await stops.look(() => ['paused', 'going'])).toEqual(['paused']);
    clock.advance(499);
    expect(await stops.look(() => ['paused', 'going'])).toEqual([]);
    clock.advance(1);
    expect(await stops.look(() => ['paused', 'going'])).toEqual(['paused']);
    expect(asked).toEqual([
      ['paused', 'going'],
      ['paused', 'going'],
    ]);
  });

  it('are asked for as long as messages of theirs may come, and forgotten then', async () => {
    const { clock, asked, stops } = setUp(['paused']);
    await stops.look(() => ['paused']);
    clock.advance(9000);
    expect(await stops.look(() => [])).toEqual(['paused']);
    clock.advance(2000);
    expect(await stops.look(() => [])).toEqual([]);
    clock.advance(2000);
    await stops.look(() => []);
    expect(asked).toEqual([['paused'], ['paused'], []]);
  });

  it('go on when their run was resumed', async () => {
    const paused = ['paused'];
    const { clock, stops } = setUp(paused);
    expect(await stops.look(() => ['paused'])).toEqual(['paused']);
    paused.pop();
    clock.advance(500);
    expect(await stops.look(() => ['paused'])).toEqual([]);
  });
});
