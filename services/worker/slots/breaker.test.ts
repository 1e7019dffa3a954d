import { describe, expect, it } from 'vitest';
import type { CallEnd } from '../../../shared/domain/endpoint/own-matter.ts';
import { createBreaker } from './breaker.ts';

function setUp() {
  const breaker = createBreaker(() => 0.999_999);
  let nowMs = 0;
  const end = (how: CallEnd, { feedId = 'f', othersAreServed = false, tookMs = 0 } = {}) =>
    breaker.onEnd(how, {
      feedId,
      cause: 'connection refused',
      othersAreServed,
      retryAfterMs: null,
      startedMs: nowMs - tookMs,
      nowMs,
    });
  return {
    breaker,
    end,
    endMany: (how: CallEnd, count: number) => Array.from({ length: count }, () => end(how)),
    pass: (ms: number) => (nowMs += ms),
    at: () => nowMs,
    allowed: () => breaker.allowed(nowMs),
    retryInMs: () => breaker.retryInMs(nowMs),
  };
}

describe('the breaker of a shard', () => {
  it('opens after ten calls in a row without an answer, and gives the cause', () => {
    const { breaker, at, endMany, allowed } = setUp();
    expect(endMany('unanswered', 10).indexOf(true)).toBe(9);
    expect(allowed()).toBe(0);
    expect(breaker.cause(at())).toBe('connection refused');
  });

  it('stays closed if at most nine calls in a row have no answer', () => {
    const { breaker, at, end, endMany } = setUp();
    for (let round = 0; round < 5; round++) {
      endMany('unanswered', 9);
      end('answered');
    }
    expect(breaker.isOpen(at())).toBe(false);
  });

  it('stays closed if calls of one run fail while another run is served', () => {
    const { breaker, at, end } = setUp();
    const opened = Array.from({ length: 100 }, () => end('unanswered', { othersAreServed: true }));
    expect([breaker.isOpen(at()), opened.includes(true)]).toEqual([false, false]);
  });

  it('stays closed if only one run gets faults of configuration', () => {
    const { breaker, at, endMany } = setUp();
    endMany('misconfigured', 100);
    expect(breaker.isOpen(at())).toBe(false);
  });

  it('opens if three runs get faults of configuration', () => {
    const { breaker, at, end } = setUp();
    for (const feedId of ['a', 'b', 'c']) end('misconfigured', { feedId });
    expect(breaker.isOpen(at())).toBe(true);
  });

  it('allows one probe at a time, at intervals that double up to a minute', () => {
    const { endMany, end, pass, allowed, retryInMs } = setUp();
    endMany('unanswered', 10);
    const waits: number[] = [];
    for (let probe = 0; probe < 12; probe++) {
      waits.push(retryInMs());
      pass(retryInMs());
      expect(allowed()).toBe(1);
      end('unanswered');
      expect(allowed()).toBe(0);
    }
    expect(waits.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(waits.at(-1)).toBe(60_000);
  });

  it('keeps the time of its next probe if calls that were in flight when it opened fail', () => {
    const { endMany, retryInMs } = setUp();
    endMany('unanswered', 10);
    endMany('unanswered', 50);
    expect(retryInMs()).toBe(1000);
  });

  it.each([
    [501, false],
    [500, true],
  ])(
    'ignores failures of calls that began before the last answered probe: a call of %d ms that fails 500 ms after the probe',
    (tookMs, isOpen) => {
      const { breaker, at, endMany, end, pass, retryInMs } = setUp();
      endMany('unanswered', 10);
      pass(retryInMs());
      end('answered');
      pass(500);
      for (let call = 0; call < 20; call++) end('unanswered', { tookMs });
      expect(breaker.isOpen(at())).toBe(isOpen);
    },
  );

  it.each([
    [501, false],
    [500, true],
  ])(
    'counts only failed calls that began after another feed was answered: a call of %d ms that fails 500 ms after the answer',
    (tookMs, isOpen) => {
      const { breaker, at, endMany, end, pass } = setUp();
      endMany('unanswered', 10);
      pass(100);
      breaker.onAlive(at(), at(), false);
      pass(500);
      for (let call = 0; call < 20; call++) end('unanswered', { tookMs });
      expect(breaker.isOpen(at())).toBe(isOpen);
    },
  );

  it('closes if a probe is answered, and then doubles its slots with each round of answers', () => {
    const { endMany, end, pass, allowed, retryInMs } = setUp();
    endMany('unanswered', 10);
    pass(retryInMs());
    end('answered');
    expect(allowed()).toBe(2);
    endMany('answered', 2);
    expect(allowed()).toBe(4);
    endMany('answered', 4);
    expect(allowed()).toBe(8);
    for (let round = 0; round < 8; round++) endMany('answered', 2000);
    expect(allowed()).toBe(Number.POSITIVE_INFINITY);
  });

  it('opens again after two failed calls while it allows few calls', () => {
    const { breaker, at, endMany, end, pass, retryInMs } = setUp();
    endMany('unanswered', 10);
    pass(retryInMs());
    end('answered');
    endMany('unanswered', 2);
    expect(breaker.isOpen(at())).toBe(true);
    expect(retryInMs()).toBe(2000);
  });
});
