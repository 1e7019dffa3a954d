import { beforeEach, describe, expect, it } from 'vitest';
import type { GuardState } from '../../../shared/ports/endpoint-guards.ts';
import type { CallEnd } from '../../../shared/domain/endpoint/own-matter.ts';
import { createBreaker, type Breaker, type GuardReport } from './breaker.ts';

const shard = { actionType: 'award-reward', country: 'SG' };
const cause = 'connection refused';

function openLook(retryInMs: number): GuardState {
  return { ...shard, state: 'open', cause, retryInMs };
}

function slowStart(sinceMs: number, workers = 1, rank = 0): GuardState {
  return { ...shard, state: 'slow-start', sinceMs, workers, rank };
}

describe("a worker's copy of the shared breaker", () => {
  let breaker: Breaker;
  let nowMs: number;
  beforeEach(() => {
    breaker = createBreaker(() => 0.5);
    nowMs = 1000;
  });

  const end = (how: CallEnd, retryAfterMs: number | null = null, tookMs = 0) =>
    breaker.onEnd(how, {
      feedId: 'f',
      cause,
      othersAreServed: false,
      retryAfterMs,
      startedMs: nowMs - tookMs,
      nowMs,
    });
  const endMany = (how: CallEnd, count: number) => Array.from({ length: count }, () => end(how));
  const poll = (seen: GuardState | null) => breaker.onGuardRead(seen, nowMs);
  const allowed = () => breaker.allowed(nowMs);
  function write(report: GuardReport | null): void {
    if (report) breaker.onReported(report, nowMs);
  }
  function probe(how: CallEnd): void {
    breaker.onBegin(nowMs);
    end(how);
  }

  it('reports its opening to the store, with the cause and Retry-After', () => {
    poll(null);
    endMany('unanswered', 9);
    expect(breaker.report).toBeNull();
    expect(end('unanswered', 7000)).toBe(true);
    expect(breaker.report).toEqual({ kind: 'open', cause, retryAfterMs: 7000 });
    expect([breaker.isOpen(nowMs), allowed(), breaker.cause(nowMs)]).toEqual([true, 0, cause]);
  });

  it('opens if the breaker is open in the store, whichever worker reported that', () => {
    poll(null);
    expect(poll(openLook(500))).toBe(true);
    expect(poll(openLook(400))).toBe(false);
    expect([breaker.isOpen(nowMs), breaker.cause(nowMs), allowed()]).toEqual([true, cause, 0]);
    expect(breaker.retryInMs(nowMs)).toBe(400);
  });

  it.each([
    [501, false],
    [500, true],
  ])(
    'counts only failed calls that began during its slow start: a call of %d ms that fails after 500 ms',
    (tookMs, isOpen) => {
      poll(openLook(500));
      poll(slowStart(0));
      nowMs += 500;
      const opened = Array.from({ length: 20 }, () => end('unanswered', null, tookMs));
      expect([breaker.isOpen(nowMs), opened.includes(true)]).toEqual([isOpen, isOpen]);
    },
  );

  it('ignores an answer of the store that is older than its own report', () => {
    poll(null);
    endMany('unanswered', 10);
    poll(null);
    expect(breaker.isOpen(nowMs)).toBe(true);
    // The breaker was opened by its own calls, so this state of the store does not open it.
    expect(poll(openLook(1000))).toBe(false);
    const requestedAtMs = nowMs;
    nowMs += 10;
    write(breaker.takeReport());
    breaker.onGuardRead(null, requestedAtMs);
    expect(breaker.isOpen(nowMs)).toBe(true);
    poll(openLook(1000));
    expect(breaker.retryInMs(nowMs)).toBe(1000);
  });

  it('opens only after ten failures again after the store has closed it', () => {
    poll(null);
    endMany('unanswered', 10);
    write(breaker.takeReport());
    nowMs += 10;
    poll(null);
    expect(breaker.isOpen(nowMs)).toBe(false);
    endMany('unanswered', 9);
    expect([breaker.isOpen(nowMs), breaker.report]).toEqual([false, null]);
    expect(end('unanswered')).toBe(true);
  });

  it('allows a call only with a grant for a probe, once, and until the grant expires', () => {
    poll(openLook(500));
    expect(breaker.wantsProbe(nowMs)).toBe(false);
    nowMs += 500;
    expect(breaker.wantsProbe(nowMs)).toBe(true);
    expect([allowed(), breaker.callInMs(nowMs)]).toEqual([0, Number.POSITIVE_INFINITY]);
    breaker.onGrant(nowMs + 3000);
    expect([allowed(), breaker.callInMs(nowMs), breaker.wantsProbe(nowMs)]).toEqual([1, 0, false]);
    nowMs += 3000;
    poll(openLook(0));
    expect([allowed(), breaker.wantsProbe(nowMs)]).toEqual([0, true]);
  });

  it.each([
    ['answered', 'probe-answered'],
    ['unanswered', 'probe-failed'],
    ['misconfigured', 'probe-failed'],
  ] as const)(
    'reports to the store that its probe was %s, and waits for the state that the store then has',
    (how, kind) => {
      poll(openLook(0));
      breaker.onGrant(nowMs + 3000);
      probe(how);
      expect(breaker.report).toMatchObject({ kind });
      expect([allowed(), breaker.isOpen(nowMs), breaker.wantsProbe(nowMs)]).toEqual([0, true, false]);
    },
  );

  it('keeps the grant for its probe if the step that was begun for it is not called', () => {
    poll(openLook(0));
    breaker.onGrant(nowMs + 3000);
    breaker.onBegin(nowMs);
    breaker.onNoCall();
    expect([breaker.report, allowed()]).toEqual([null, 1]);
  });

  it('closes if a call of a feed without failures is answered, and reports this to the store', () => {
    poll(openLook(60_000));
    nowMs += 150;
    breaker.onAlive(nowMs - 100, nowMs, false);
    expect([breaker.isOpen(nowMs), allowed()]).toEqual([false, Number.POSITIVE_INFINITY]);
    expect(breaker.report).toMatchObject({ kind: 'alive' });
    // The state in the store does not include this report yet.
    poll(openLook(59_000));
    expect(breaker.isOpen(nowMs)).toBe(false);
  });

  it('stays open if the answered call began before the breaker opened', () => {
    poll(openLook(60_000));
    nowMs += 150;
    breaker.onAlive(nowMs - 200, nowMs, false);
    expect([breaker.isOpen(nowMs), breaker.report]).toEqual([true, null]);
  });

  it('has nothing to report if it closes before its opening was reported', () => {
    poll(null);
    endMany('unanswered', 10);
    breaker.onAlive(nowMs, nowMs, false);
    expect([breaker.isOpen(nowMs), breaker.report]).toEqual([false, null]);
  });

  it('reports its closing too if it closes while the report of its opening is being written', () => {
    poll(null);
    endMany('unanswered', 10);
    const opening = breaker.takeReport();
    breaker.onAlive(nowMs, nowMs, false);
    write(opening);
    expect(breaker.report).toMatchObject({ kind: 'alive' });
    write(breaker.takeReport());
    expect(breaker.report).toBeNull();
  });

  it('reports its opening too if it opens while the report of its closing is being written', () => {
    poll(openLook(60_000));
    breaker.onAlive(nowMs, nowMs, false);
    const closing = breaker.takeReport();
    endMany('unanswered', 10);
    write(closing);
    expect(breaker.report).toMatchObject({ kind: 'open' });
    poll(null);
    expect(breaker.isOpen(nowMs)).toBe(true);
  });

  it('stays open after a recovery until the store begins the slow start of all workers, and reports the recovery once', () => {
    poll(openLook(60_000));
    breaker.onAlive(nowMs, nowMs, true);
    const recovery = breaker.takeReport();
    expect([breaker.isOpen(nowMs), recovery?.kind]).toEqual([true, 'recovered']);
    breaker.onAlive(nowMs, nowMs, true);
    write(recovery);
    expect(breaker.report).toBeNull();
    poll(slowStart(0));
    expect([breaker.isOpen(nowMs), allowed()]).toEqual([false, 2]);
  });

  it('starts slowly alone after a recovery if the store is unavailable', () => {
    endMany('unanswered', 10);
    breaker.onAlive(nowMs, nowMs, true);
    expect([breaker.isOpen(nowMs), allowed()]).toEqual([false, 2]);
  });

  it('ignores calls that were in flight when it opened', () => {
    poll(openLook(500));
    endMany('unanswered', 20);
    end('answered');
    expect([breaker.report, breaker.isOpen(nowMs), breaker.retryInMs(nowMs)]).toEqual([null, true, 500]);
  });

  it('ignores failures of calls that began before the endpoint worked again', () => {
    poll(openLook(500));
    nowMs += 1000;
    poll(null);
    nowMs += 100;
    for (let call = 0; call < 20; call++) end('unanswered', null, 200);
    expect(breaker.isOpen(nowMs)).toBe(false);
    endMany('unanswered', 10);
    expect(breaker.isOpen(nowMs)).toBe(true);
  });

  it('doubles its calls every second in a slow start, divided among all workers', () => {
    poll(openLook(0));
    poll(slowStart(0));
    const seen = [allowed()];
    for (let second = 1; second <= 4; second++) {
      nowMs += 1000;
      seen.push(allowed());
    }
    expect(seen).toEqual([2, 4, 8, 16, 32]);
    const parts = [0, 1, 2].map((rank) => {
      poll(slowStart(1000, 3, rank));
      return allowed();
    });
    expect(parts).toEqual([2, 1, 1]);
    poll(slowStart(10_000));
    expect(allowed()).toBe(Number.POSITIVE_INFINITY);
  });

  it('opens again after two failures in a slow start', () => {
    poll(slowStart(0));
    expect(endMany('unanswered', 2)).toEqual([false, true]);
    expect(breaker.report).toMatchObject({ kind: 'open' });
  });

  it('makes its own probes while the store is unavailable', () => {
    endMany('unanswered', 10);
    expect([breaker.isOpen(nowMs), allowed()]).toEqual([true, 0]);
    nowMs += breaker.retryInMs(nowMs);
    expect([allowed(), breaker.callInMs(nowMs)]).toEqual([1, 0]);
    breaker.onBegin(nowMs);
    expect(breaker.callInMs(nowMs)).toBe(Number.POSITIVE_INFINITY);
    end('answered');
    expect([breaker.isOpen(nowMs), allowed(), breaker.report]).toEqual([false, 2, null]);
  });

  it('ignores an answer of the store after five seconds', () => {
    poll(openLook(60_000));
    nowMs += 5001;
    expect([breaker.isOpen(nowMs), allowed()]).toEqual([false, Number.POSITIVE_INFINITY]);
  });

  it('reports its own opening when the store is available again', () => {
    endMany('unanswered', 10);
    poll(null);
    expect(breaker.isOpen(nowMs)).toBe(true);
    expect(breaker.report).toMatchObject({ kind: 'open' });
  });
});
