import { KafkaJSConnectionError } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createConsumerHealth } from './consumer-health.ts';

const readIntervalMs = 10_000;

function given() {
  let unansweredMs = 0;
  const health = createConsumerHealth({
    groupId: 'g',
    readIntervalMs,
    fetches: { unansweredMs: () => unansweredMs },
  });
  /** Looks at one lane a number of times, each time with the given messages after its position. */
  function read(times: number, { next, end, full = false }: { next: number | undefined; end: number; full?: boolean }) {
    const lane = { topic: 'award.SG', partition: 3, assignment: 1 };
    for (let i = 0; i < times; i++) {
      health.observe(
        [{ lane, next, unsettled: 0, held: 0, full }],
        new Map([['award.SG', [{ partition: 3, committed: 0, end }]]]),
      );
    }
  }
  return { health, read, leaveUnanswered: (ms: number) => (unansweredMs = ms) };
}

describe('the health of a consumer', () => {
  it('is not ready before the consumer has joined and after a crash, with the cause', () => {
    const { health } = given();
    expect(health.ready()).toEqual({ ok: false, cause: 'not in group g' });
    health.onJoined();
    expect(health.ready()).toEqual({ ok: true });
    health.onCrashed(new Error('no'));
    expect(health.ready()).toEqual({ ok: false, cause: 'not in group g: no' });
  });

  it('is not ready if messages of a partition are not taken for 30 s, and broken after two minutes', () => {
    const { health, read } = given();
    health.onJoined();
    read(3, { next: 5, end: 45 });
    expect(health.ready().ok).toBe(true);
    read(1, { next: 5, end: 45 });
    expect(health.ready().cause).toBe('award.SG/3 stands still for 30 s with 40 messages before it');
    expect(health.broken()).toBeUndefined();
    read(9, { next: 5, end: 45 });
    expect(health.broken()?.message).toMatch('award.SG/3 stands still');
  });

  it('is not ready while no broker answers fetches', () => {
    const { health, leaveUnanswered } = given();
    health.onJoined();
    leaveUnanswered(9_999);
    expect(health.ready()).toEqual({ ok: true });
    leaveUnanswered(12_000);
    expect(health.ready()).toEqual({ ok: false, cause: 'no broker has answered a fetch for 12 s' });
    leaveUnanswered(0);
    expect(health.ready()).toEqual({ ok: true });
  });

  it('is ready again when the partition progresses', () => {
    const { health, read } = given();
    health.onJoined();
    read(12, { next: 5, end: 45 });
    read(1, { next: 6, end: 45 });
    expect([health.ready().ok, health.broken()]).toEqual([true, undefined]);
  });

  it.each([
    ['has read all messages', { next: 45, end: 45 }],
    ['has enough unsettled messages', { next: 5, end: 45, full: true }],
    ['has no position and no messages', { next: undefined, end: 0 }],
  ])('is ready while the partition %s', (_, lane) => {
    const { health, read } = given();
    health.onJoined();
    read(100, lane);
    expect([health.ready().ok, health.broken()]).toEqual([true, undefined]);
  });

  it('measures a partition without a position from the committed offset', () => {
    const { health, read } = given();
    health.onJoined();
    read(4, { next: undefined, end: 3 });
    expect(health.ready().cause).toMatch('3 messages before it');
  });

  it('is broken after ten crashes in a row without a fetch', () => {
    const { health } = given();
    for (let i = 0; i < 9; i++) health.onCrashed(new Error('no'));
    health.onFetched();
    for (let i = 0; i < 9; i++) health.onCrashed(new Error('no'));
    expect(health.broken()).toBeUndefined();
    health.onCrashed(new Error('no'));
    expect(health.broken()?.message).toMatch('10 times in a row');
  });

  it('has a pause after each crash that grows up to 5 s', () => {
    const { health } = given();
    const pauses = Array.from({ length: 9 }, () => health.onCrashed(new Error('no')));
    expect([pauses[0], pauses[1], pauses[8]]).toEqual([200, 400, 5000]);
  });

  it('is not broken while no broker answers, because another process could not work either', () => {
    const { health } = given();
    const refused = new KafkaJSConnectionError('refused');
    const crash = new Error('gave up', { cause: refused });
    for (let i = 0; i < 100; i++) {
      health.pass(5_000);
      health.onCrashed(crash);
    }
    expect(health.broken()).toBeUndefined();
  });

  it('is broken if the consumer neither joins nor crashes for two minutes', () => {
    const { health } = given();
    health.pass(119_000);
    expect(health.broken()).toBeUndefined();
    health.pass(1_000);
    expect(health.broken()?.message).toMatch('could not join');
  });
});
