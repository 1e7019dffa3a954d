import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { hotPathFlags } from '../shared/infrastructure/service-process.ts';

export interface Child {
  readonly pid: number;
  readonly running: boolean;
  /** The next message that the child sends. Rejects when it ends before. */
  receive(): Promise<unknown>;
  send(message: Serializable): void;
  /** Sends a question and resolves with the answer to it; one at a time. */
  ask(question: Serializable): Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, unless the child has ended; resolves when it has. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts one of this folder's scripts with the flags of the hot path: every side of a comparison has them. */
export function startChild(script: string): Child {
  const child = fork(script, { execArgv: hotPathFlags, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
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
