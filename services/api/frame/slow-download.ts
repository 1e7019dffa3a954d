import type { Clock } from '../../../shared/ports/clock.ts';
import { minBytesPerSecond, rateWindowMs } from './upload-bytes.ts';

/**
 * Consecutive windows after which a reader is too slow. The kernel reports progress in steps of about a third of its
 * buffer. A steady reader of 40,000 bytes a second shows 1.4 MB every 36 seconds, so a single window may show no
 * progress.
 */
export const slowWindows = 4;

export interface Download {
  response: {
    /** Bytes of the response that are not yet passed to the operating system. */
    readonly writableLength: number;
  };
  /** Connection of the response. An earlier response on the connection may still be under way. */
  socket: {
    /** Bytes of all responses so far, including bytes that wait in this process. */
    readonly bytesWritten: number;
    readonly writableLength: number;
    destroy(): unknown;
  };
}

export interface DownloadTerms {
  clock: Pick<Clock, 'sleep'>;
  /** Aborted once the response has ended. */
  signal: AbortSignal;
}

/**
 * Destroys the connection of a response whose reader stays below the minimum rate of uploads for several consecutive
 * windows, because the response holds a slot. A window counts if bytes waited for the reader from its start to its end,
 * so a slow database never looks like a slow reader.
 * @returns true if the connection was destroyed, false if the response ended before
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
    // Bytes are taken in order: if fewer were taken than waited at the start, some waited for the whole window.
    const isSlow = taken < waiting && taken < (minBytesPerSecond * rateWindowMs) / 1000;
    slow = isSlow ? slow + 1 : 0;
  }
  socket.destroy();
  return true;
}
