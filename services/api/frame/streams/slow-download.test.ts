import { describe, expect, it } from 'vitest';
import { settled } from '../../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../../test/support/settable-clock.ts';
import { endSlowDownload, slowWindows } from './slow-download.ts';
import { minBytesPerSecond, rateWindowMs } from './upload-bytes.ts';

const enough = (minBytesPerSecond * rateWindowMs) / 1000;

/** Watches a response that has bytes waiting for its reader. */
function downloading(waiting: number) {
  const clock = createSettableClock();
  const response = { writableLength: waiting };
  const socket = {
    bytesWritten: 1_000_000 + waiting,
    writableLength: waiting,
    isDestroyed: false,
    destroy: () => (socket.isDestroyed = true),
  };
  const ended = new AbortController();
  const isSlow = endSlowDownload({ response, socket }, { clock, signal: ended.signal });
  const write = (bytes: number) => {
    response.writableLength += bytes;
    socket.writableLength += bytes;
    socket.bytesWritten += bytes;
  };
  const take = (bytes: number) => {
    response.writableLength -= bytes;
    socket.writableLength -= bytes;
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  /** Lets the number of windows pass after which a slow reader is disconnected. */
  const passSlowly = async () => {
    for (let window = 0; window < slowWindows; window++) await pass(rateWindowMs);
  };
  return { clock, socket, ended, isSlow, write, take, pass, passSlowly };
}

describe('a download that occupies a slot', () => {
  it('is ended if its reader stays below the minimum rate in four consecutive windows', async () => {
    const { socket, isSlow, take, pass } = downloading(10 * enough);
    for (let window = 0; window < slowWindows; window++) {
      take(enough - 1);
      await pass(rateWindowMs - 1);
      expect(socket.isDestroyed).toBe(false);
      await pass(1);
    }
    expect(socket.isDestroyed).toBe(true);
    expect(await isSlow).toBe(true);
  });

  it('is ended if its last bytes are never read', async () => {
    const { socket, passSlowly } = downloading(10);
    await passSlowly();
    expect(socket.isDestroyed).toBe(true);
  });

  it('is ended if its reader stops after a fast start', async () => {
    const { socket, take, pass, passSlowly } = downloading(10 * enough);
    take(9 * enough);
    await pass(rateWindowMs);
    expect(socket.isDestroyed).toBe(false);
    await passSlowly();
    expect(socket.isDestroyed).toBe(true);
  });

  it('continues at the minimum rate, whatever its duration', async () => {
    const { socket, take, pass } = downloading(10 * enough);
    for (let window = 0; window < 10; window++) {
      take(enough);
      await pass(rateWindowMs);
    }
    expect(socket.isDestroyed).toBe(false);
  });

  it('continues if the kernel reports the read bytes in steps', async () => {
    const { socket, take, pass } = downloading(100 * enough);
    for (let window = 0; window < 10 * slowWindows; window++) {
      if (window % slowWindows === 0) take(slowWindows * enough);
      await pass(rateWindowMs);
    }
    expect(socket.isDestroyed).toBe(false);
  });

  it('continues if its reader has read everything and more data comes late', async () => {
    const { socket, write, take, pass } = downloading(100);
    for (let window = 0; window < 3 * slowWindows; window++) {
      take(100);
      await pass(rateWindowMs - 1);
      write(100);
      await pass(1);
    }
    expect(socket.isDestroyed).toBe(false);
  });

  it('continues while the API takes long to compute the data', async () => {
    const { socket, passSlowly } = downloading(0);
    await passSlowly();
    expect(socket.isDestroyed).toBe(false);
  });

  it('is not destroyed after its end', async () => {
    const { clock, socket, ended, isSlow, passSlowly } = downloading(10);
    ended.abort();
    expect(await isSlow).toBe(false);
    expect(clock.nextWakeMs()).toBeUndefined();
    await passSlowly();
    expect(socket.isDestroyed).toBe(false);
  });
});
