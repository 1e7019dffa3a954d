import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { hotPathFlags, onHotPath } from '../shared/infrastructure/service-process.ts';

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

interface ChildOptions {
  environment?: NodeJS.ProcessEnv;
  /** What it writes goes there; otherwise to where this process writes. */
  logFile?: string;
}

/** Ends the process when the channel to its parent closes, which it does however the parent ends. */
const endWithParent = 'data:text/javascript,process.on("disconnect",()=>process.exit(1));process.channel?.unref()';

/** Starts one of this folder's scripts with the flags of the hot path: every side of a comparison has them. */
export function startChild(script: string): Child {
  return start(script, hotPathFlags, {});
}

/**
 * Starts a service as in production, `all`: all in one. It knows nothing of its parent and ends with it all the same.
 */
export function startService(root: string, service: string, options: ChildOptions): Child {
  const flags = onHotPath.has(service) ? hotPathFlags : [];
  const [script = '', ...args] =
    service === 'all' ? ['cli/muster.ts', 'serve', 'all'] : [`services/${service}/main.ts`];
  return start(join(root, script), [...flags, '--import', endWithParent], options, args);
}

function start(
  script: string,
  flags: readonly string[],
  { environment = {}, logFile }: ChildOptions,
  args: readonly string[] = [],
): Child {
  const output = logFile === undefined ? 'inherit' : openSync(logFile, 'a');
  const child = fork(script, args, {
    execArgv: [...flags],
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, output, 'ipc'],
  });
  if (output !== 'inherit') closeSync(output);
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
