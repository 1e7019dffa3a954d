import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

const answersShape = z.record(z.string(), z.record(z.string(), z.number()));

/** Answers by kind of request, and by status. */
export type HeavyAnswers = z.infer<typeof answersShape>;

export interface HeavyCaller {
  /** Waits for the answers to the slow uploads, ends the process, and returns all answers. */
  leave(): Promise<HeavyAnswers>;
  end(): void;
}

/**
 * An account that sends many heavy requests, in its own process.
 * @param exportPath of a list that is sent as a file
 */
export async function startHeavyCaller(apiUrl: string, key: string, exportPath: string): Promise<HeavyCaller> {
  const child = fork(join(import.meta.dirname, 'heavy-caller-main.ts'), [apiUrl, key, exportPath], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
    leave: async () => {
      const reported = once(child, 'message');
      child.send('leave');
      const [answers] = z
        .tuple([answersShape])
        .rest(z.unknown())
        .parse(await reported);
      return answers;
    },
    end: () => void child.kill('SIGKILL'),
  };
}
