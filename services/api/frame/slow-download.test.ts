import { describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { endSlowDownload, slowWindows } from './slow-download.ts';
import { minBytesPerSecond, rateWindowMs } from './upload-bytes.ts';

const enough = (minBytesPerSecond * rateWindowMs) / 1000;

/** A response with bytes that wait for its reader. */
function downloading(waiting: number) {
  const clock = createSettableClock();
  const response = { writableLength: waiting };
  const socket = {
    ...{ bytesWritten: 1_000_000 + waiting, writableLength: waiting, isDestroyed: false },
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
  /** Lets as many windows pass as a slow reader has. */
  const passSlowly = async () => {
    for (let window = 0; window < slowWindows; window++) await pass(rateWindowMs);
  };
  return { clock, socket, ended, isSlow, write, take, pass, passSlowly };
}

describe('a download that holds a slot', () => {
  it('is ended when its reader takes less than the minimum rate of what waits for it, in four windows in a row', async () => {
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

  it('is ended when its last bytes are not taken', async () => {
    const { socket, passSlowly } = downloading(10);
    await passSlowly();
    expect(socket.isDestroyed).toBe(true);
  });

  it('is ended when its reader stops after it was quick', async () => {
    const { socket, take, pass, passSlowly } = downloading(10 * enough);
    take(9 * enough);
    await pass(rateWindowMs);
    expect(socket.isDestroyed).toBe(false);
    await passSlowly();
    expect(socket.isDestroyed).toBe(true);
  });

  it('goes on at the minimum rate, however long it takes', async () => {
    const { socket, take, pass } = downloading(10 * enough);
    for (let window = 0; window < 10; window++) {
      take(enough);
      await pass(rateWindowMs);
    }
    expect(socket.isDestroyed).toBe(false);
  });

  it('goes on when the kernel reports what was taken in steps', async () => {
    const { socket, take, pass } = downloading(100 * enough);
    for (let window = 0; window < 10 * slowWindows; window++) {
      if (window % slowWindows === 0) take(slowWindows * enough);
      await pass(rateWindowMs);
    }
    expect(socket.isDestroyed).toBe(false);
  });

  it('goes on when its reader has taken what waited, and more comes late', async () => {
    const { socket, write, take, pass } = downloading(100);
    for (let window = 0; window < 3 * slowWindows; window++) {
      take(100);
      await pass(rateWindowMs - 1);
      write(100);
      await pass(1);
    }
    expect(socket.isDestroyed).toBe(false);
  });

  it('goes on while the API computes what it sends', async () => {
    const { socket, passSlowly } = downloading(0);
    await passSlowly();
    expect(socket.isDestroyed).toBe(false);
  });

  it('is left alone once it has ended', async () => {
    const { clock, socket, ended, isSlow, passSlowly } = downloading(10);
    ended.abort();
    expect(await isSlow).toBe(false);
    expect(clock.nextWakeMs()).toBeUndefined();
    await passSlowly();
    expect(socket.isDestroyed).toBe(false);
  });
});
