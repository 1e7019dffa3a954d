import { createRequire } from 'node:module';

interface SocketRequest {
  correlationId: number;
  expectResponse: boolean;
  /** Milliseconds of monotonic time; kafkajs' own `sentAt` is a wall clock time. */
  sentAtMs: number;
  /** Milliseconds; the queue's own at least. */
  requestTimeout: number;
  send(): void;
  completed(answer: { size: number; payload: null }): void;
  timeoutRequest(): void;
}

interface RequestQueue {
  /** Requests that wait for a throttle to end or for an answer to make room. */
  pending: unknown[];
  /** Sent, and not answered. */
  inflight: Map<number, SocketRequest>;
  requestTimeout: number;
  enforceRequestTimeout: boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | null | undefined;
  /** Milliseconds of monotonic time; -1 when never throttled. */
  throttledUntil: number;
  maxInFlightRequests: number | null | undefined;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  sendSocketRequest(request: SocketRequest): void;
  /** Clears both timers. */
  destroy(): void;
}

const minimumWaitMs = 10;

/**
 * kafkajs 2.2.4 wakes each connection while it is idle: about 870 times a second by a timer that it arms after every
 * answer whether or not a request waits, with a negative time when no throttle is in effect (tulios/kafkajs#1751), and
 * ten times a second to look whether an answer is overdue. These are the methods to blame, written so that a timer is
 * armed only when something waits. They use monotonic time: by kafkajs' own use of the wall clock, a clock that is set
 * back by an hour lengthens throttles and request time-outs by an hour. Safe to call again.
 */
export function stopIdleWakeUps(): void {
  const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js');
  if (!isRequestQueueClass(loaded)) throw new Error('kafkajs has another request queue than version 2.2.4');
  Object.assign(loaded.prototype, {
    maybeThrottle,
    canSendSocketRequestImmediately,
    scheduleCheckPendingRequests,
    scheduleRequestTimeoutCheck,
    sendSocketRequest,
  });
}

/** The argument is null or undefined for answers without a throttle time, as those of SASL. */
function maybeThrottle(this: RequestQueue, throttleMs: number | null | undefined): void {
  if (throttleMs === null || throttleMs === undefined || throttleMs <= 0) return;
  this.throttledUntil = Math.max(performance.now() + throttleMs, this.throttledUntil);
}

function canSendSocketRequestImmediately(this: RequestQueue): boolean {
  const { maxInFlightRequests, inflight, throttledUntil } = this;
  return inflight.size < (maxInFlightRequests ?? Infinity) && throttledUntil <= performance.now();
}

function scheduleCheckPendingRequests(this: RequestQueue): void {
  if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
  const waitMs = Math.max(this.throttledUntil - performance.now(), minimumWaitMs);
  this.throttleCheckTimeoutId = setTimeout(() => {
    this.throttleCheckTimeoutId = null;
    this.checkPendingRequests();
  }, waitMs);
}

/** Called when the connection is made. */
function scheduleRequestTimeoutCheck(this: RequestQueue): void {
  this.destroy();
  this.requestTimeoutIntervalId = null;
  watchTimeouts(this);
}

function sendSocketRequest(this: RequestQueue, request: SocketRequest): void {
  request.sentAtMs = performance.now();
  request.send();
  if (request.expectResponse) {
    watchTimeouts(this);
    return;
  }
  this.inflight.delete(request.correlationId);
  request.completed({ size: 0, payload: null });
}

function watchTimeouts(queue: RequestQueue): void {
  if (!queue.enforceRequestTimeout || queue.inflight.size === 0 || queue.requestTimeoutIntervalId) return;
  const nowMs = performance.now();
  const leftMs = Array.from(queue.inflight.values(), (request) => request.sentAtMs + request.requestTimeout - nowMs);
  // What is sent meanwhile has no less time than the queue's own.
  const waitMs = Math.min(queue.requestTimeout, ...leftMs) + 1;
  queue.requestTimeoutIntervalId = setTimeout(() => {
    queue.requestTimeoutIntervalId = null;
    for (const request of [...queue.inflight.values()]) {
      if (performance.now() - request.sentAtMs > request.requestTimeout) request.timeoutRequest();
    }
    watchTimeouts(queue);
  }, waitMs);
}

function isRequestQueueClass(loaded: unknown): loaded is { prototype: RequestQueue } {
  if (typeof loaded !== 'function') return false;
  const prototype: unknown = loaded.prototype;
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    'maybeThrottle' in prototype &&
    'canSendSocketRequestImmediately' in prototype &&
    'scheduleCheckPendingRequests' in prototype &&
    'checkPendingRequests' in prototype &&
    'scheduleRequestTimeoutCheck' in prototype &&
    'sendSocketRequest' in prototype
  );
}
