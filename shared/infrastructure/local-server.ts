import type { FaultSignal } from './guardian-messages.ts';

/** One server process, for tests that break it. */
export interface LocalServer {
  /** Changes with a restart. */
  pid(): number;
  signal(signal: FaultSignal): void;
  /** Resolves when the process that runs now has ended. */
  exited(): Promise<void>;
  /** Kills what still runs and starts again on the same port and data. Resolves when it takes requests. */
  restart(): Promise<void>;
}
