import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../child.ts';

const lagsShape = z.object({ jobs: z.array(z.number()), quiet: z.array(z.number()) });

/**
 * A process that records how late each call arrives. The last part of a call's path is its due time. The receiver
 * answers at once, or after `<ms>` milliseconds if the path begins with `/slow/<ms>/`.
 */
export interface Receiver {
  /** Base URL, with a slash at its end. */
  readonly url: string;
  readonly pid: number;
  /**
   * Returns how late the calls were, in milliseconds. `quiet` has the calls below `/quiet/`; `jobs` has all other calls
   * except those below `/warm/`.
   */
  lags(): Promise<z.output<typeof lagsShape>>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const child = startChild(join(import.meta.dirname, 'receiver-process.ts'));
  const { port } = z.object({ port: z.int() }).parse(await child.receive());
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: child.pid,
    lags: async () => lagsShape.parse(await child.ask('lags')),
    stop: () => child.stop('SIGKILL'),
  };
}
