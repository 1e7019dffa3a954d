import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { stopIdleWakeUps } from './throttle-fix.ts';

interface Request {
  entry: { correlationId: number; reject?: (error: Error) => void; resolve?: () => void };
  expectResponse: boolean;
  requestTimeout?: number;
  sendRequest: () => void;
}

interface Queue {
  push(request: Request): void;
  fulfillRequest(answer: { correlationId: number; payload: Buffer; size: number }): void;
  scheduleRequestTimeoutCheck(): void;
  destroy(): void;
  maybeThrottle(ms: number | null | undefined): void;
  checkPendingRequests(): void;
}

type QueueClass = new (options: object) => Queue;

const logger = { debug: () => undefined };
const hourMs = 3_600_000;

/** Counts the timers without a spy: after a spy on a faked timer, the fake would stay in place for all later files. */
function countTimers(during: () => void): number {
  const { setTimeout: faked } = globalThis;
  let count = 0;
  const counting = (...args: Parameters<typeof setTimeout>) => {
    count += 1;
    return faked(...args);
  };
  globalThis.setTimeout = Object.assign(counting, { __promisify__: faked.__promisify__ });
  try {
    during();
  } finally {
    globalThis.setTimeout = faked;
  }
  return count;
}

function createQueue(options: object = {}): Queue {
  const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js');
  const RequestQueue = z.custom<QueueClass>((value) => typeof value === 'function').parse(loaded);
  return new RequestQueue({ logger, requestTimeout: 1000, ...options });
}

describe('the request queue of kafkajs', () => {
  let sent: number[];

  beforeEach(() => {
    stopIdleWakeUps();
    vi.useFakeTimers();
    sent = [];
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  function push(queue: Queue, correlationId: number): void {
    queue.push({ entry: { correlationId }, expectResponse: true, sendRequest: () => sent.push(correlationId) });
  }

  it('sets no timer while no request waits', () => {
    createQueue().checkPendingRequests();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends waiting requests when the throttle ends, and sets no further timer', () => {
    const queue = createQueue();
    queue.maybeThrottle(500);
    push(queue, 1);
    vi.advanceTimersByTime(499);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has one timer for all waiting requests', () => {
    const queue = createQueue();
    queue.maybeThrottle(500);
    push(queue, 1);
    push(queue, 2);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(500);
    expect(sent).toEqual([1, 2]);
  });

  it('waits for the end of an extended throttle', () => {
    const queue = createQueue();
    queue.maybeThrottle(100);
    push(queue, 1);
    queue.maybeThrottle(300);
    vi.advanceTimersByTime(299);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1]);
  });

  it.each([undefined, null, 0, -1])('sends at once after an answer with the throttle time %s', (throttleMs) => {
    const queue = createQueue();
    queue.maybeThrottle(throttleMs);
    push(queue, 1);
    expect(sent).toEqual([1]);
  });

  it('ends a throttle in time although the wall clock is set back', () => {
    const queue = createQueue();
    queue.maybeThrottle(500);
    push(queue, 1);
    vi.setSystemTime(Date.now() - hourMs);
    vi.advanceTimersByTime(500);
    expect(sent).toEqual([1]);
  });

  it('sends at once after a throttle that ended before the wall clock was set back', () => {
    const queue = createQueue();
    queue.maybeThrottle(500);
    vi.advanceTimersByTime(500);
    vi.setSystemTime(Date.now() - hourMs);
    push(queue, 1);
    expect(sent).toEqual([1]);
  });

  describe('the request queue of a connection', () => {
    const timeoutMs = 1000;
    let timedOut: number[];

    function connected(): Queue {
      timedOut = [];
      const queue = createQueue({ enforceRequestTimeout: true, requestTimeout: timeoutMs });
      queue.scheduleRequestTimeoutCheck();
      return queue;
    }
    function ask(queue: Queue, correlationId: number, requestTimeout?: number): void {
      const entry = { correlationId, resolve: () => undefined, reject: () => timedOut.push(correlationId) };
      const sendRequest = () => undefined;
      queue.push({ entry, expectResponse: true, sendRequest, ...(requestTimeout !== undefined && { requestTimeout }) });
    }
    const answer = (queue: Queue, correlationId: number) =>
      queue.fulfillRequest({ correlationId, payload: Buffer.of(), size: 0 });

    it('sets no timer while no answer is expected', () => {
      const queue = connected();
      expect(vi.getTimerCount()).toBe(0);
      ask(queue, 1);
      answer(queue, 1);
      vi.advanceTimersByTime(timeoutMs + 1);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('wakes up once per request time-out, even if 100 requests were answered', () => {
      const queue = connected();
      const wakeUps = countTimers(() => {
        for (let requested = 0; requested < 100; requested++) {
          ask(queue, requested);
          vi.advanceTimersByTime(timeoutMs / 100);
          answer(queue, requested);
        }
      });
      expect(wakeUps).toBe(1);
    });

    it('rejects each request that is not answered in time', () => {
      const queue = connected();
      ask(queue, 1, 3 * timeoutMs);
      vi.advanceTimersByTime(timeoutMs / 2);
      ask(queue, 2);
      ask(queue, 3);
      answer(queue, 3);
      vi.advanceTimersByTime(timeoutMs);
      expect(timedOut).toEqual([]);
      vi.advanceTimersByTime(timeoutMs / 2 + 2);
      expect(timedOut).toEqual([2]);
      vi.advanceTimersByTime(timeoutMs);
      expect(timedOut).toEqual([2, 1]);
      expect(vi.getTimerCount()).toBe(0);
    });

    it.each([-hourMs, hourMs])('keeps the time-out of a request while the wall clock changes by %i ms', (changeMs) => {
      const queue = connected();
      ask(queue, 1);
      vi.setSystemTime(Date.now() + changeMs);
      vi.advanceTimersByTime(timeoutMs / 2);
      ask(queue, 2);
      vi.advanceTimersByTime(timeoutMs / 2);
      expect(timedOut).toEqual([]);
      vi.advanceTimersByTime(2);
      expect(timedOut).toEqual([1]);
    });

    it('checks requests that are sent after a restart', () => {
      const queue = connected();
      ask(queue, 1);
      queue.destroy();
      queue.scheduleRequestTimeoutCheck();
      ask(queue, 2);
      vi.advanceTimersByTime(timeoutMs + 2);
      expect(timedOut).toEqual([1, 2]);
    });
  });
});
