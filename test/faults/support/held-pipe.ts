import type { Socket } from 'node:net';

/** One direction of a connection. Delayed or held bytes keep their order, and the end of the connection comes last. */
export interface HeldPipe {
  /** @param lateMs additional delay of these bytes and of all that follow */
  write(bytes: Buffer, lateMs?: number): void;
  /** Ends the receiver's side like the sender's: with a reset if it was one. */
  end(byReset: boolean): void;
  /** Sends all bytes that need not be delayed or held any more. */
  drain(): void;
}

export interface PipeTerms {
  /** A cut line: bytes neither pass nor get lost, as TCP sends them again until the line is whole. */
  isHeld: () => boolean;
  delayMs: () => number;
}

export function createHeldPipe(to: Socket, { isHeld, delayMs }: PipeTerms): HeldPipe {
  const waiting: { act: () => void; dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function drain(): void {
    while (!isHeld()) {
      const [next] = waiting;
      if (!next) return;
      const waitMs = next.dueAt - performance.now();
      if (waitMs > 0) {
        timer ??= setTimeout(wakeUp, waitMs);
        return;
      }
      waiting.shift();
      next.act();
    }
  }

  function wakeUp(): void {
    timer = undefined;
    drain();
  }

  function pass(act: () => void, lateMs = 0): void {
    const waitMs = delayMs() + lateMs;
    if (waiting.length === 0 && waitMs === 0 && !isHeld()) {
      act();
      return;
    }
    waiting.push({ act, dueAt: performance.now() + waitMs });
    drain();
  }

  return {
    drain,
    write: (bytes, lateMs) => {
      pass(() => {
        if (to.writable) to.write(bytes);
      }, lateMs);
    },
    end: (byReset) => {
      pass(() => {
        if (byReset) to.resetAndDestroy();
        else to.end();
      });
    },
  };
}
