import type { FaultSignal } from './guardian-messages.ts';

/** One server process, for tests that break it. */
export interface LocalServer {
  /** Process id, which changes with a restart. */
  pid(): number;
  signal(signal: FaultSignal): void;
  /** Resolves when the present process has ended. */
  exited(): Promise<void>;
  /** Kills the server and starts it again on the same port and data. Resolves when it accepts requests. */
  restart(): Promise<void>;
}
