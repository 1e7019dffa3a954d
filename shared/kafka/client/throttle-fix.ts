import { createRequire } from 'node:module';

interface RequestQueue {
  /** Requests that wait for a throttle to end or for an answer to make room. */
  pending: unknown[];
  /** Milliseconds since the epoch; -1 when never throttled. */
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

const minimumWaitMs = 10;

/**
 * kafkajs 2.2.4 arms a timer after every answer whether or not a request waits, with a negative time when no throttle
 * is in effect: each connection then wakes about 870 times a second while idle, and Node warns of the negative time
 * (tulios/kafkajs#1751). This is the one method to blame, written so that the timer is armed only when something waits.
 * Safe to call again.
 */
export function stopIdleWakeUps(): void {
  const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js');
  if (!isRequestQueueClass(loaded)) throw new Error('kafkajs has another request queue than version 2.2.4');
  loaded.prototype.scheduleCheckPendingRequests = scheduleCheckPendingRequests;
}

function scheduleCheckPendingRequests(this: RequestQueue): void {
  if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
  const waitMs = Math.max(this.throttledUntil - Date.now(), minimumWaitMs);
  this.throttleCheckTimeoutId = setTimeout(() => {
    this.throttleCheckTimeoutId = null;
    this.checkPendingRequests();
  }, waitMs);
}

function isRequestQueueClass(loaded: unknown): loaded is { prototype: RequestQueue } {
  if (typeof loaded !== 'function') return false;
  const prototype: unknown = loaded.prototype;
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    'scheduleCheckPendingRequests' in prototype &&
    'checkPendingRequests' in prototype
  );
}
