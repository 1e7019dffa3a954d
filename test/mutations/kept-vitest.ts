import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Infrastructure } from '../../shared/infrastructure/infrastructure.ts';
import { runAnswer, type RunAnswer, type RunRequest } from './kept-vitest-messages.ts';

export interface KeptVitestOptions {
  /** The copy of the repository whose tests are run. */
  tree: string;
  projects: readonly string[];
  environment: Record<string, string>;
}

export interface KeptVitest {
  /** @returns null if the tests had to be ended, by their time or because the process has ended by itself */
  run: (request: RunRequest, withinMs: number) => Promise<RunAnswer | null>;
  stop: () => void;
}

/** Makes tests use servers that are already there. */
export function environmentOf({ databaseUrl, brokers }: Infrastructure): Record<string, string> {
  return { INFRA: 'external', DATABASE_URL: databaseUrl, KAFKA_BROKERS: brokers.join(',') };
}

/** Runs tests in one process of Vitest, which is replaced only after a run without an end. */
export function keepVitest({ tree, projects, environment }: KeptVitestOptions): KeptVitest {
  let child: ChildProcess | null = null;

  async function start(): Promise<ChildProcess> {
    const script = path.join(import.meta.dirname, 'kept-vitest-process.ts');
    const started = fork(script, [tree, ...projects], {
      cwd: tree,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A loop without an end runs in a process of its own, which ends with its group.
      detached: true,
    });
    child = started;
    await answerOf(started, undefined);
    return started;
  }

  function stop(): void {
    const { pid } = child ?? {};
    child = null;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }

  return {
    run: async (request, withinMs) => {
      const running = child?.connected ? child : await start();
      running.send(request);
      const answer = await answerOf(running, withinMs);
      if (answer === null) stop();
      return answer === null ? null : runAnswer.parse(answer);
    },
    stop,
  };
}

/** @returns null if the process ended, or the time is over */
async function answerOf(child: ChildProcess, withinMs: number | undefined): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const end = () => over.abort();
  const timer = withinMs === undefined ? undefined : setTimeout(end, withinMs);
  child.once('exit', end);
  try {
    const messages: readonly unknown[] = await once(child, 'message', { signal });
    return messages[0];
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    child.off('exit', end);
  }
}
