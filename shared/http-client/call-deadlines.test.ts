import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { createCallDeadlines } from './call-deadlines.ts';
import { createHttpOrigin } from './http-dispatch.ts';

describe('a call whose answer arrives while the event loop is blocked past the deadline', () => {
  const stops: (() => unknown)[] = [];

  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  it('is answered', async () => {
    const [timeoutMs, answerBytes] = [2000, 40_000];
    const turns = new Int32Array(new SharedArrayBuffer(8));
    const file = new URL('../../test/support/answering-thread.ts', import.meta.url);
    const thread = new Worker(file, { workerData: { turns, answerBytes } });
    stops.push(() => thread.terminate());
    const port = await new Promise<unknown>((resolve) => thread.once('message', resolve));
    const origin = createHttpOrigin({
      origin: `http://127.0.0.1:${String(port)}`,
      connections: 1,
      timeoutMs,
      maxAnswerBytes: answerBytes,
    });
    stops.push(() => origin.close());
    thread.once('message', () => {
      Atomics.store(turns, 0, 1);
      Atomics.notify(turns, 0);
      Atomics.wait(turns, 1, 0);
      Atomics.wait(turns, 1, 1, timeoutMs + 1);
    });
    const outcome = await origin.send({ method: 'GET', path: '/', headers: [] });
    expect(outcome).toMatchObject({ kind: 'answered', body: Buffer.alloc(answerBytes, 'x') });
  });
});

describe('a call after its deadline', () => {
  /** Resolves when a call expires, given the number of bytes of its answer that were read so far at each poll. */
  function expiryOf(bytesRead: () => number): Promise<void> {
    return new Promise((resolve) => {
      const call = {
        deadline: 0,
        get bytesRead() {
          return bytesRead();
        },
        expire: resolve,
      };
      const calls = [call];
      createCallDeadlines(() => calls.splice(0)).watch();
    });
  }

  it('expires after the first poll phase that reads no byte of its answer', async () => {
    const reads = [0, 1, 1, 2, 2, 2];
    await expiryOf(() => reads.shift() ?? Number.NaN);
    expect(reads).toEqual([]);
  });

  it('expires after 100 poll phases, even if its answer trickles in', async () => {
    let reads = 0;
    await expiryOf(() => reads++);
    expect(reads).toBeLessThanOrEqual(200);
  });
});
