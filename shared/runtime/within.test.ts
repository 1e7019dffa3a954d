import { once } from 'node:events';
import { setImmediate as nextCheck } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { within } from './within.ts';

describe('work with a time limit', () => {
  it('is rejected with ETIMEDOUT after the limit', async () => {
    await expect(within(1, new Promise(() => undefined))).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('returns its answer if it arrived while the event loop was blocked beyond the limit', async () => {
    const { port1, port2 } = new MessageChannel();
    const answered = once(port1, 'message').then(() => 'answered');
    // Timers run next, and messages are read after them.
    await nextCheck();
    const result = within(5, answered);
    port2.postMessage('here');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    expect(await result).toBe('answered');
    port1.close();
  });
});
