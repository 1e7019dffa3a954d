import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

export interface BareServer {
  readonly url: string;
  readonly pid: number;
  end(): Promise<void>;
}

/**
 * A process that refuses each request after its header and discards the body. Its CPU time is the minimum for receiving
 * the bytes.
 */
export async function startBareServer(): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, 'bare-server-main.ts'), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = z
    .tuple([z.number()])
    .rest(z.unknown())
    .parse(await once(child, 'message'));
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    end: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}
