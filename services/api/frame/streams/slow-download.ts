import type { Clock } from '../../../../shared/ports/clock.ts';
import { minBytesPerSecond, rateWindowMs } from './upload-bytes.ts';

/**
 * Number of consecutive windows after which a reader is too slow. The kernel reports progress in steps of about a third
 * of its buffer: a steady reader of 40,000 bytes a second shows 1.4 MB every 36 seconds, so a single window may show no
 * progress.
 */
export const slowWindows = 4;

export interface Download {
  response: {
    /** Number of bytes of the response that were not yet passed to the operating system. */
    readonly writableLength: number;
  };
  /** Connection of the response. An earlier response on the connection may not be finished. */
  socket: {
    /** Number of bytes of all responses so far, including bytes that still wait in this process. */
    readonly bytesWritten: number;
    readonly writableLength: number;
    destroy(): unknown;
  };
}

export interface DownloadTerms {
  clock: Pick<Clock, 'sleep'>;
  /** Signal that is aborted when the response has ended. */
  signal: AbortSignal;
}

/**
 * Destroys the connection of a response whose reader stays below the minimum rate of uploads for several consecutive
 * windows, because the response occupies a slot. A window counts only if bytes waited for the reader from its beginning
 * to its end, so a slow database is never mistaken for a slow reader.
 * @returns true if the connection was destroyed, false if the response ended first
 */
export async function endSlowDownload(
  { response, socket }: Download,
  { clock, signal }: DownloadTerms,
): Promise<boolean> {
  const bytesTaken = () => socket.bytesWritten - socket.writableLength;
  for (let slow = 0; slow < slowWindows;) {
    const waiting = response.writableLength;
    const before = bytesTaken();
    await clock.sleep(rateWindowMs, signal);
    if (signal.aborted) return false;
    const taken = bytesTaken() - before;
    // Bytes are read in order. If fewer were read than waited at the beginning, some bytes waited for the whole window.
    const isSlow = taken < waiting && taken < (minBytesPerSecond * rateWindowMs) / 1000;
    slow = isSlow ? slow + 1 : 0;
  }
  socket.destroy();
  return true;
}
