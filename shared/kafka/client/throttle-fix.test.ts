import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { stopIdleWakeUps } from './throttle-fix.ts';

interface Queue {
  push(request: { entry: { correlationId: number }; expectResponse: boolean; sendRequest: () => void }): void;
  maybeThrottle(ms: number): void;
  checkPendingRequests(): void;
}

type QueueClass = new (options: object) => Queue;

const logger = { debug: () => undefined };

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

  it('arms no timer while nothing waits', () => {
    createQueue().checkPendingRequests();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends what waited for a throttle when the throttle ends, and goes to sleep again', () => {
    const queue = createQueue();
    queue.maybeThrottle(500);
    push(queue, 1);
    vi.advanceTimersByTime(499);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has one timer for all that waits', () => {
    const queue = createQueue();
    queue.maybeThrottle(500);
    push(queue, 1);
    push(queue, 2);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(500);
    expect(sent).toEqual([1, 2]);
  });

  it('waits out a throttle that was prolonged meanwhile', () => {
    const queue = createQueue();
    queue.maybeThrottle(100);
    push(queue, 1);
    queue.maybeThrottle(300);
    vi.advanceTimersByTime(299);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1]);
  });
});
