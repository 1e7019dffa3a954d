import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createStoppedFeeds } from './stopped-feeds.ts';

/**
 * Creates the directory of stopped feeds. The feeds in `paused` are stopped. Queries and their results are recorded.
 */
function setUp(paused: string[]) {
  const clock = createSettableClock();
  const requested: string[][] = [];
  let found: readonly string[] | undefined;
  const directory = {
    stoppedOf: (feedIds: readonly string[]) => {
      requested.push([...feedIds]);
      return Promise.resolve(feedIds.filter((feedId) => paused.includes(feedId)));
    },
  };
  const onStopped = (feedIds: readonly string[]) => (found = feedIds);
  const stops = createStoppedFeeds({ directory, onStopped, clock, logger: pino({ level: 'silent' }) });
  /** Makes one scan. Returns the stopped feeds; undefined if no query was made or the query failed. */
  const poll = async (waiting: readonly string[]): Promise<readonly string[] | undefined> => {
    found = undefined;
    stops.check(() => waiting);
    await settled();
    return found;
  };
  return { clock, request: requested, directory, poll };
}

describe('feeds of stopped runs', () => {
  it('are looked up twice a second, and only while a step waits for a slot', async () => {
    const { clock, request, poll } = setUp(['paused']);
    expect(await poll([])).toBeUndefined();
    expect(request).toEqual([]);
    expect(await poll(['paused', 'going'])).toEqual(['paused']);
    clock.advance(499);
    expect(await poll(['paused', 'going'])).toBeUndefined();
    clock.advance(1);
    expect(await poll(['paused', 'going'])).toEqual(['paused']);
    expect(request).toEqual([
      ['paused', 'going'],
      ['paused', 'going'],
    ]);
  });

  it('are looked up for about ten seconds after the last step that waited, and are then forgotten', async () => {
    const { clock, request, poll } = setUp(['paused']);
    await poll(['paused']);
    clock.advance(9000);
    expect(await poll([])).toEqual(['paused']);
    clock.advance(2000);
    expect(await poll([])).toEqual([]);
    clock.advance(2000);
    await poll([]);
    expect(request).toEqual([['paused'], ['paused'], []]);
  });

  it('count as running after their run is resumed', async () => {
    const paused = ['paused'];
    const { clock, poll } = setUp(paused);
    expect(await poll(['paused'])).toEqual(['paused']);
    paused.pop();
    clock.advance(500);
    expect(await poll(['paused'])).toEqual([]);
  });

  it('are looked up by one query at a time, and looked up again after a failed query', async () => {
    const { clock, request, directory, poll } = setUp(['paused']);
    const { stoppedOf } = directory;
    let fail = (): void => undefined;
    directory.stoppedOf = async (feedIds) => {
      await stoppedOf(feedIds);
      return await new Promise<string[]>((_, reject) => (fail = () => reject(new Error('no connection'))));
    };
    expect(await poll(['paused'])).toBeUndefined();
    clock.advance(5000);
    expect(await poll(['paused'])).toBeUndefined();
    expect(request).toEqual([['paused']]);
    fail();
    await settled();
    directory.stoppedOf = stoppedOf;
    expect(await poll(['paused'])).toEqual(['paused']);
  });
});
