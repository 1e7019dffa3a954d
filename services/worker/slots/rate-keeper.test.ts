import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryRateShares } from '../../../test/support/memory/rate-shares.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createRateKeeper } from './rate-keeper.ts';
import { createRateLimit } from './rate-limit.ts';

function setUp() {
  const clock = createSettableClock();
  const rate = createRateLimit({ calls: 10 }, clock.monotonicMs()) ?? expect.fail('there is a limit');
  const shares = createMemoryRateShares({ database: createMemoryDatabase(clock), owner: 'a' });
  const work = { hasWork: true };
  const world = { asked: 0, rooms: 0 };
  const keeper = createRateKeeper({
    rateShares: {
      exchange: (...args) => {
        world.asked++;
        return shares.exchange(...args);
      },
    },
    rated: () => [{ actionType: 'award-reward', rate, ...work }],
    onRoom: () => void world.rooms++,
    clock,
    logger: pino({ level: 'silent' }),
  });
  return { clock, rate, work, world, keeper };
}

describe("a worker's share of a rate", () => {
  it('is requested regularly while the action type has work', async () => {
    const { clock, rate, world, keeper } = setUp();
    expect(rate.waitMs(1, clock.monotonicMs())).toBe(Infinity);
    keeper.start();
    await passTime(clock, 3000);
    expect(rate.waitMs(1, clock.monotonicMs())).toBe(0);
    expect(world.asked).toBeGreaterThanOrEqual(3);
    expect(world.rooms).toBeGreaterThan(0);
    await keeper.stop();
  });

  it('is not requested without work, but at once with the first work', async () => {
    const { clock, rate, work, world, keeper } = setUp();
    work.hasWork = false;
    keeper.start();
    await passTime(clock, 3000);
    expect(world.asked).toBe(0);
    work.hasWork = true;
    keeper.onWork();
    await passTime(clock, 100);
    expect([world.asked, rate.waitMs(1, clock.monotonicMs())]).toEqual([1, 0]);
    await keeper.stop();
  });
});
