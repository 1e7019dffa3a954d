import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { LaneMessage } from '../../ports/message-bus.ts';
import { createConsumerChores } from './consumer-chores.ts';
import { createConsumerHealth } from './consumer-health.ts';
import type { GroupClient } from './group-client.ts';
import { createLanes } from './lanes.ts';

const commitIntervalMs = 250;
const nothing = () => Promise.resolve();

/** Creates a client whose first commits fail, and one assigned lane. */
function givenConsumer({ failures }: { failures: number }) {
  const lanes = createLanes({ highMark: 8, lowMark: 4 });
  lanes.assign({ orders: [0] });
  const taken = lanes.take(
    'orders',
    0,
    ['0', '1'].map((offset) => ({ offset, key: null, value: null })),
  );
  const messages: LaneMessage[] = taken?.delivery?.messages ?? [];
  const commits: number[] = [];
  const client: GroupClient = {
    start: nothing,
    stop: nothing,
    refresh: nothing,
    pause: () => undefined,
    resume: () => undefined,
    missingTopics: () => [],
    commit: (positions) => {
      commits.push(...positions.map(({ offset }) => offset));
      return commits.length <= failures ? Promise.reject(new Error('the coordinator has moved')) : Promise.resolve();
    },
  };
  const clock = createSettableClock();
  const chores = createConsumerChores({
    client: () => client,
    lanes,
    health: createConsumerHealth({
      groupId: 'orders',
      readIntervalMs: 10_000,
      fetches: { unansweredMs: () => 0 },
    }),
    keeper: { ensureSoon: nothing, ensure: () => Promise.resolve(false), keep: () => undefined, close: nothing },
    offsetReader: { read: () => Promise.resolve(new Map()), close: nothing },
    commitIntervalMs,
    onBroken: () => undefined,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const settle = (index: number) => {
    const message = messages[index];
    if (message) lanes.settle(message);
  };
  return { chores, commits, clock, settle };
}

describe('a consumer with a failed commit', () => {
  afterEach(() => vi.useRealTimers());

  it('commits all settled messages at the next timer tick, without another message', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { chores, commits, settle } = givenConsumer({ failures: 2 });
    chores.begin();
    settle(0);
    await vi.advanceTimersByTimeAsync(commitIntervalMs);
    settle(1);
    await vi.advanceTimersByTimeAsync(3 * commitIntervalMs);
    chores.end();
    expect(commits).toEqual([1, 2, 2]);
  });

  it('commits again before it leaves its group', async () => {
    const { chores, commits, clock, settle } = givenConsumer({ failures: 1 });
    settle(0);
    settle(1);
    const leaving = chores.commitAll();
    await vi.waitUntil(() => clock.nextWakeMs() !== undefined);
    clock.advance(commitIntervalMs);
    await leaving;
    expect(commits).toEqual([2, 2]);
  });

  it('leaves its group even if each commit fails', async () => {
    const { chores, commits, clock, settle } = givenConsumer({ failures: 100 });
    settle(0);
    const leaving = chores.commitAll().then(() => 'left');
    for (let attempt = 1; attempt < 4; attempt++) {
      await vi.waitUntil(() => clock.nextWakeMs() !== undefined);
      clock.advance(commitIntervalMs);
    }
    expect(await leaving).toBe('left');
    expect(commits).toEqual([1, 1, 1, 1]);
  });
});
