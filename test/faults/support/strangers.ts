import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

export interface Strangers {
  /** Counts the answers by status; 0: the connection was cut. */
  leave(): Promise<Record<string, number>>;
}

const answersShape = z.record(z.string(), z.number());

/** Starts senders without a valid key in their own process. Resolves when the first requests were answered. */
export async function sendStrangers(apiUrl: string): Promise<Strangers> {
  const child = fork(join(import.meta.dirname, 'stranger-main.ts'), [apiUrl], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
    leave: async () => {
      const notified = once(child, 'message');
      child.send('leave');
      const [answers] = z
        .tuple([answersShape])
        .rest(z.unknown())
        .parse(await notified);
      await once(child, 'exit');
      return answers;
    },
  };
}
