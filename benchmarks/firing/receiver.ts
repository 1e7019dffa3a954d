import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../child.ts';

const lagsShape = z.object({ jobs: z.array(z.number()), quiet: z.array(z.number()) });

/**
 * A process that notes how late every call came: the due time is the last part of its path. It answers at once; below
 * `/slow/<ms>/`, after so long.
 */
export interface Receiver {
  /** Ends with a slash. */
  readonly url: string;
  readonly pid: number;
  /** In milliseconds. `quiet`: of calls below `/quiet/`; `jobs`: of the others, but for those below `/warm/`. */
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
