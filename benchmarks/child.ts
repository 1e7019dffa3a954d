import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { hotPathFlags } from '../shared/infrastructure/service-process.ts';

export interface Child {
  readonly pid: number;
  /** The next message that the child sends. Rejects when it ends before. */
  receive(): Promise<unknown>;
  send(message: Serializable): void;
  stop(): Promise<void>;
}

/** Starts one of this folder's scripts, or a service, with the flags of the hot path: every side of a comparison has them. It ends with its parent: an IPC channel that closes ends it. */
export function startChild(script: string, environment: NodeJS.ProcessEnv = {}): Child {
  const child = fork(script, [], {
    execArgv: hotPathFlags,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`could not start ${script}`);
  return {
    pid,
    receive: () => nextMessage(child, script),
    send: (message) => {
      child.send(message);
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function nextMessage(child: ChildProcess, script: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => {
      reject(new Error(`${script} ended with ${String(code)} before it answered`));
    };
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
