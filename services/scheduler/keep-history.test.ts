import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createPrometheusMeter } from '../../shared/runtime/meter/prometheus-meter.ts';
import { createMemoryDatabase } from '../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../test/support/memory/leases.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createHistoryKeeper } from './keep-history.ts';

const minuteMs = 60_000;

/**
 * Creates two schedulers on one database. `heldUp` is the number of table partitions that the next turns report as
 * blocked by a reader.
 */
function createFixture() {
  const clock = createSettableClock();
  const leases = createMemoryLeases({ database: createMemoryDatabase(clock) });
  const logger = pino({ level: 'silent' });
  const meter = createPrometheusMeter({ logger });
  const turns: string[] = [];
  const state = { heldUp: 0 };
  const keeperOf = (owner: string) =>
    createHistoryKeeper({
      history: {
        keep: () => {
          turns.push(owner);
          return Promise.resolve({ daysMade: 0, daysDropped: 0, deadExpired: 0, heldUp: state.heldUp });
        },
      },
      terms: { historyDays: 30, deadDays: 30 },
      leases,
      meter,
      owner,
      clock,
      logger,
    });
  const keepers = [keeperOf('a'), keeperOf('b')];
  for (const keeper of keepers) keeper.start();
  const stop = () => Promise.all(keepers.map((keeper) => keeper.stop()));
  const metrics = async () => (await meter.expose()).text;
  return { clock, turns, state, stop, metrics };
}

describe('the history of jobs', () => {
  it('is cleaned up by one scheduler once an hour', async () => {
    const { clock, turns, stop } = createFixture();
    await passTime(clock, 59 * minuteMs);
    expect(turns).toHaveLength(1);
    await passTime(clock, 2 * minuteMs);
    expect(turns).toHaveLength(2);
    await stop();
  });

  it('is cleaned up again after five minutes while a reader blocks the tables of some days, and the blocked days are counted', async () => {
    const { clock, turns, state, stop, metrics } = createFixture();
    state.heldUp = 1;
    await passTime(clock, 11 * minuteMs);
    expect(turns).toEqual(['a', 'a', 'a']);
    expect(await metrics()).toMatch(/^muster_partitions_held_up_total 3$/m);
    state.heldUp = 0;
    await passTime(clock, 30 * minuteMs);
    expect(turns).toHaveLength(4);
    await stop();
  });
});
