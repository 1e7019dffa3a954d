import { describe, expect, it } from 'vitest';
import { isOwnMatter, isPressureShared, type SourceEvidence } from './own-matter.ts';

const never = Number.NEGATIVE_INFINITY;
const nowMs = 100_000;
const feed = (id: string, over: Partial<SourceEvidence> = {}): SourceEvidence => {
  return { id, answeredAtMs: never, failedAtMs: never, pressedAtMs: never, ...over };
};

/**
 * Evidence of another feed, and the result: whether a failure, and whether pressure, then counts for this feed alone.
 */
const table: [name: string, over: Partial<SourceEvidence>, failure: boolean, pressure: boolean][] = [
  ['was never called', {}, false, false],
  ['was answered a moment ago', { answeredAtMs: nowMs }, true, true],
  ['was answered 9.9 s ago', { answeredAtMs: nowMs - 9900 }, true, true],
  ['was answered 10 s ago', { answeredAtMs: nowMs - 10_000 }, false, false],
  ['failed since its answer', { answeredAtMs: nowMs - 100, failedAtMs: nowMs - 50 }, false, true],
  ['failed before its answer', { answeredAtMs: nowMs - 50, failedAtMs: nowMs - 100 }, true, true],
  [
    'met pressure before its answer',
    { answeredAtMs: nowMs, failedAtMs: nowMs - 9, pressedAtMs: nowMs - 9 },
    true,
    false,
  ],
  ['met pressure 10 s ago', { answeredAtMs: nowMs, pressedAtMs: nowMs - 10_000 }, true, true],
  ['only fails', { failedAtMs: nowMs }, false, false],
];

describe("a feed's failure", () => {
  it.each(table)(
    'counts for this feed alone or for the whole shard, by the evidence of another feed: it %s',
    (_name, over, failure, pressure) => {
      const feeds = [feed('a'), feed('b', over)];
      expect(isOwnMatter('failure', 'a', feeds, nowMs)).toBe(failure);
      expect(isOwnMatter('pressure', 'a', feeds, nowMs)).toBe(pressure);
    },
  );

  it.each([
    [60_000, 9999, true],
    [60_000, 10_000, false],
    [60_000, -500, true],
  ])(
    'counts for this feed alone if another feed was answered shortly before the call: %d ms long, %d ms before',
    (tookMs, beforeMs, isOwn) => {
      const feeds = [feed('a'), feed('b', { answeredAtMs: nowMs - tookMs - beforeMs })];
      expect(isOwnMatter('failure', 'a', feeds, nowMs - tookMs)).toBe(isOwn);
      expect(isOwnMatter('failure', 'a', feeds, nowMs)).toBe(false);
    },
  );

  it.each([
    ['never', never, true],
    ['long before the call', nowMs - 70_000, true],
    ['less than ten seconds before the call', nowMs - 69_999, false],
    ['during the call', nowMs - 30_000, false],
  ])(
    'counts for this feed alone or for the whole shard beside an answered feed that met pressure %s',
    (_when, pressedAtMs, isOwn) => {
      const feeds = [feed('a'), feed('b', { answeredAtMs: nowMs - 50_000, pressedAtMs })];
      expect(isOwnMatter('pressure', 'a', feeds, nowMs - 60_000)).toBe(isOwn);
    },
  );

  it('does not count as a failure of this feed alone if no other feed was answered', () => {
    expect(isOwnMatter('failure', 'a', [feed('a', { answeredAtMs: nowMs })], nowMs)).toBe(false);
  });

  it('counts for this feed alone if one of several other feeds is answered', () => {
    const feeds = [feed('a'), feed('b', { failedAtMs: nowMs }), feed('c', { answeredAtMs: nowMs })];
    expect(isOwnMatter('failure', 'a', feeds, nowMs)).toBe(true);
  });

  it.each([
    [0, 9999, true],
    [0, 10_000, false],
    [20_000, 9999, true],
    [20_000, 10_000, false],
    [20_000, -15_000, true],
  ])(
    'counts for the whole shard if another feed met pressure at most 10 s before the call: %d ms long, %d ms before',
    (tookMs, beforeMs, isShared) => {
      const startedMs = nowMs - tookMs;
      const feeds = [feed('a', { pressedAtMs: nowMs }), feed('b', { pressedAtMs: startedMs - beforeMs })];
      expect(isPressureShared('a', feeds, startedMs)).toBe(isShared);
    },
  );

  it('does not count for the whole shard if only the feed itself met pressure', () => {
    expect(isPressureShared('a', [feed('a', { pressedAtMs: nowMs })], nowMs)).toBe(false);
  });
});
