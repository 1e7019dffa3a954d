import { createRequire } from 'node:module';

interface SocketRequest {
  correlationId: number;
  expectResponse: boolean;
  /** Monotonic time in milliseconds; kafkajs' own `sentAt` is wall clock time. */
  sentAtMs: number;
  /** Time-out of the request in milliseconds, at least that of the queue. */
  requestTimeout: number;
  send(): void;
  completed(answer: { size: number; payload: null }): void;
  timeoutRequest(): void;
}

interface RequestQueue {
  /** Requests that wait for the end of a throttle, or for an answer to make room. */
  pending: unknown[];
  inflight: Map<number, SocketRequest>;
  requestTimeout: number;
  enforceRequestTimeout: boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | null | undefined;
  /** Monotonic time in milliseconds; -1 if never throttled. */
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
 * Replaces methods of kafkajs 2.2.4 that wake each idle connection. kafkajs arms a timer after every answer, whether or
 * not a request waits, with a negative time when no throttle is in effect (tulios/kafkajs#1751): about 870 wake-ups a
 * second. Ten more a second check for overdue answers. The replacements arm a timer only when a request waits. They use
 * monotonic time: kafkajs uses the wall clock, and setting it back by an hour would lengthen throttles and request
 * time-outs by an hour. Safe to call again.
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

/** Notes a throttle. The argument is null or undefined for answers without a throttle time, such as those of SASL. */
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

/** Starts the check of time-outs when the connection is made. */
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
  // Requests sent before the check have at least the queue's own time-out, so the check is not too late for them.
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
