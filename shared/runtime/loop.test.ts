import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createLoop } from './loop.ts';

const logger = pino({ level: 'silent' });

/** Runs everything that can run without the clock moving. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

function countingLoop(turn: (count: number) => Promise<number>) {
  const clock = createSettableClock();
  let turns = 0;
  const loop = createLoop({ name: 'test', afterErrorMs: 500, clock, logger, turn: () => turn(++turns) });
  return { clock, loop, turns: () => turns };
}

describe('a loop', () => {
  it('logs a database outage of 15 s in two lines, for any number of loops of its kind', async () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    const clock = createSettableClock();
    let isDown = true;
    const turn = () => (isDown ? Promise.reject(new Error('connect ECONNREFUSED')) : Promise.resolve(100));
    const loops = Array.from({ length: 20 }, () =>
      createLoop({ name: 'write-pages', afterErrorMs: 100, clock, logger: logger, turn }),
    );
    for (const loop of loops) loop.start();
    await passTime(clock, 15_000);
    isDown = false;
    await passTime(clock, 1000);
    expect(lines.map((line) => z.object({ msg: z.string() }).parse(JSON.parse(line)).msg)).toEqual([
      'loop turn failed, trying again',
      'back after 15 s',
    ]);
    await Promise.all(loops.map((loop) => loop.stop()));
  });

  it('measures how long its next successful turn is overdue, and is not overdue in a pause or after stop', async () => {
    let works = true;
    const { clock, loop } = countingLoop(() => (works ? Promise.resolve(60_000) : Promise.reject(new Error('down'))));
    loop.start();
    await passTime(clock, 59_000);
    expect(loop.overdueMs()).toBe(0);
    works = false;
    await passTime(clock, 11_000);
    expect(loop.overdueMs()).toBe(10_000);
    works = true;
    await passTime(clock, 500);
    expect(loop.overdueMs()).toBe(0);
    await loop.stop();
    await passTime(clock, 120_000);
    expect(loop.overdueMs()).toBe(0);
  });

  it('keeps its minimum time between two turns however often it is woken', async () => {
    const clock = createSettableClock();
    const turnsAt: number[] = [];
    const startMs = clock.monotonicMs();
    const turn = async () => {
      turnsAt.push(clock.monotonicMs() - startMs);
      await clock.sleep(3);
      return 1000;
    };
    const loop = createLoop({ name: 'flush', turn, minBetweenMs: 8, afterErrorMs: 500, clock, logger });
    loop.start();
    for (let passed = 0; passed < 20; passed++) {
      loop.poke();
      await passTime(clock, 1);
    }
    await passTime(clock, 100);
    loop.poke();
    await passTime(clock, 1);
    expect(turnsAt).toEqual([0, 8, 16, 24, 120]);
    await Promise.all([loop.stop(), passTime(clock, 100)]);
  });

  it('takes its next turn after the pause that the last turn returned', async () => {
    const { clock, loop, turns } = countingLoop(() => Promise.resolve(1000));
    loop.start();
    await settle();
    clock.advance(999);
    await settle();
    expect(turns()).toBe(1);
    clock.advance(1);
    await settle();
    expect(turns()).toBe(2);
    await loop.stop();
  });

  it('takes its next turn after a turn that failed', async () => {
    const { clock, loop, turns } = countingLoop((count) =>
      count === 1 ? Promise.reject(new Error('database down')) : Promise.resolve(1000),
    );
    loop.start();
    await settle();
    clock.advance(500);
    await settle();
    expect(turns()).toBe(2);
    await loop.stop();
  });

  it('takes a turn at once when it is woken, also during a turn', async () => {
    let finish: (pauseMs: number) => void = () => undefined;
    const { loop, turns } = countingLoop(() => new Promise((resolve) => (finish = resolve)));
    loop.start();
    await settle();
    loop.poke();
    finish(60_000);
    await settle();
    expect(turns()).toBe(2);
    finish(60_000);
    await loop.stop();
  });

  it('can be stopped before its start, and twice', async () => {
    const { loop, turns } = countingLoop(() => Promise.resolve(1000));
    await loop.stop();
    await loop.stop();
    expect(turns()).toBe(0);
  });

  it('finishes the running turn before stop resolves', async () => {
    let finish: (pauseMs: number) => void = () => undefined;
    const { loop } = countingLoop(() => new Promise((resolve) => (finish = resolve)));
    loop.start();
    await settle();
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await settle();
    expect(stopped).toBe(false);
    finish(0);
    await stopping;
    expect(stopped).toBe(true);
  });
});
