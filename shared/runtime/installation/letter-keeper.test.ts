import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { DeadLetter } from '../../ports/dead-letters.ts';
import { createLetterKeeper } from './letter-keeper.ts';
import { noMeter } from '../meter/no-meter.ts';

const lane = { topic: 'muster.award-reward.SG', partition: 0, assignment: 1 };

function setUp() {
  const clock = createSettableClock();
  const kept: DeadLetter[] = [];
  const lines: unknown[] = [];
  const counts = new Map<string, number>();
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const meter: typeof noMeter = {
    ...noMeter,
    counter: () => ({
      of: (labels) => {
        const key = Object.values<string>(labels).join('/');
        return { add: (by = 1) => void counts.set(key, (counts.get(key) ?? 0) + by) };
      },
    }),
  };
  let down = false;
  const add = (letters: readonly DeadLetter[]) => {
    if (down) return Promise.reject(new Error('no database'));
    kept.push(...letters);
    return Promise.resolve();
  };
  const keeper = createLetterKeeper({ deadLetters: { add }, meter, clock, logger });
  let passed = 0;
  let offset = 0;
  const keep = (count: number, bytes = 10, topic = lane.topic) => {
    for (let nth = 0; nth < count; nth++) {
      const message = { lane: { ...lane, topic }, offset: offset++, key: null, value: Buffer.alloc(bytes) };
      keeper.keep(message, 'unreadable', 'garbage', () => void passed++);
    }
  };
  const fail = (isDown: boolean) => (down = isDown);
  return { clock, kept, lines, counts, keep, fail, passed: () => passed };
}

describe('the messages that are set aside as dead letters', () => {
  it('are kept up to a thousand per topic, and only counted beyond that', async () => {
    const { kept, counts, keep, passed } = setUp();
    keep(5000);
    keep(10, 10, 'muster.award-reward.ID');
    await settled();
    expect(kept).toHaveLength(1010);
    expect(passed()).toBe(5010);
    expect(counts).toEqual(
      new Map([
        ['unreadable/yes', 1010],
        ['unreadable/no', 4000],
      ]),
    );
  });

  it('are kept again after some time, and a large message counts as several', async () => {
    const { clock, kept, keep } = setUp();
    keep(10, 1_000_000);
    await settled();
    expect(kept).toHaveLength(4);
    keep(1000);
    await settled();
    const before = kept.length;
    await passTime(clock, 360_000);
    keep(1000);
    await settled();
    expect(kept.length - before).toBeGreaterThanOrEqual(100);
    expect(kept.length - before).toBeLessThan(110);
  });

  it('are logged in one line per half minute with their number', async () => {
    const { clock, lines, keep } = setUp();
    keep(500);
    await passTime(clock, 31_000);
    keep(1);
    await settled();
    expect(lines).toMatchObject([{ messages: 1 }, { messages: 500 }]);
  });

  it('delay the offset commit of their messages until the database has stored them', async () => {
    const { clock, kept, keep, fail, passed } = setUp();
    fail(true);
    keep(3);
    await passTime(clock, 2500);
    expect(passed()).toBe(0);
    fail(false);
    await passTime(clock, 1000);
    expect(passed()).toBe(3);
    expect(kept).toHaveLength(3);
  });
});
