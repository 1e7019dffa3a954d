import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { EndpointGuards, GuardState } from '../../../shared/ports/endpoint-guards.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createBreaker } from './breaker.ts';
import { createGuardKeeper } from './guard-keeper.ts';

const shard = { actionType: 'award-reward', country: 'SG' };
const open: GuardState = { ...shard, state: 'open', cause: 'connection refused', retryInMs: 600_000 };

async function setUp() {
  const clock = createSettableClock();
  const breaker = createBreaker(() => 0.5);
  const world: { seen: GuardState[]; rooms: number; opened: string[] } = { seen: [], rooms: 0, opened: [] };
  const guards: EndpointGuards = {
    read: () => Promise.resolve(world.seen),
    open: () => Promise.resolve(),
    takeProbe: () => Promise.resolve(false),
    endProbe: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const keeper = createGuardKeeper({
    guards,
    guarded: () => [{ shard, topic: 't', breaker, hasCalls: false, hasWaiting: true }],
    queuedTopics: () => [],
    timeoutMsOf: () => 1000,
    onOpened: (topic) => world.opened.push(topic),
    onRoom: () => void world.rooms++,
    clock,
    random: () => 0.5,
    logger: pino({ level: 'silent' }),
  });
  keeper.start();
  await passTime(clock, 5000);
  return { clock, breaker, world, keeper };
}

describe('the guard keeper', () => {
  it('resumes waiting calls when the stored breaker closes, and not before', async () => {
    const { clock, breaker, world, keeper } = await setUp();
    expect([world.rooms, world.opened]).toEqual([0, []]);
    world.seen = [open];
    await passTime(clock, 5000);
    expect([world.rooms, world.opened, breaker.isOpen(clock.monotonicMs())]).toEqual([0, ['t'], true]);
    world.seen = [];
    await passTime(clock, 5000);
    expect([world.rooms, breaker.isOpen(clock.monotonicMs())]).toEqual([1, false]);
    await keeper.stop();
  });
});
