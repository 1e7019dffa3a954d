import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { v8Flags } from '../shared/runtime/process/v8-flags.ts';

export interface Child {
  readonly pid: number;
  readonly running: boolean;
  /** Resolves with the next message of the child. Rejects if the child ends first. */
  receive(): Promise<unknown>;
  send(message: Serializable): void;
  /** Sends a question and resolves with its answer. Questions are sent one at a time. */
  ask(question: Serializable): Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM unless the child has ended, and resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts one of this folder's scripts with the V8 flags of Muster's processes, so that all sides of a comparison have
 * the same flags.
 */
export function startChild(script: string): Child {
  const child = fork(script, { execArgv: v8Flags, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`could not start ${script}`);
  const running = () => child.exitCode === null && child.signalCode === null;
  let answered: Promise<unknown> = Promise.resolve();
  return {
    pid,
    get running() {
      return running();
    },
    receive: () => nextMessage(child, script),
    send: (message) => {
      child.send(message);
    },
    ask: (question) => {
      answered = answered.then(() => {
        child.send(question);
        return nextMessage(child, script);
      });
      return answered;
    },
    signal: (signal) => {
      child.kill(signal);
    },
    stop: async (signal = 'SIGTERM') => {
      if (!running()) return;
      const ended = once(child, 'exit');
      child.kill(signal);
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
