import { fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fromGuardian, type FaultSignal, type GuardedCommand, type ToGuardian } from './guardian-messages.ts';

export interface Exit {
  /** Cause of the end: `exit code 1`, or the signal's name. */
  how: string;
  clean: boolean;
}

export interface GuardedProcess {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  signal(signal: FaultSignal): void;
}

/** Runs processes that end with this process, however it ends (guardian.ts). */
export interface Guardian {
  /** Resolves when the process runs; rejects if it could not be started, or the guardian has ended. */
  start(command: GuardedCommand): Promise<GuardedProcess>;
  /** Ends every process and removes the folder. May be called twice. */
  end(): Promise<void>;
}

/** @param folder removed with its content when `end` is called or this process ends */
export function createGuardian(folder: string): Guardian {
  const processes = new Map<number, Started>();
  let nextId = 1;
  const child = fork(path.join(import.meta.dirname, 'guardian.ts'), [folder], {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // Messages to a guardian that has just ended are lost: its processes are ended below.
  const send = (order: ToGuardian) => child.send(order, () => undefined);

  child.on('message', (message: unknown) => {
    const answer = fromGuardian.parse(message);
    const started = processes.get(answer.id);
    if (started === undefined) return;
    if (answer.type === 'started') {
      const { id, pid } = answer;
      const signal = (name: FaultSignal) => {
        if (child.connected) send({ type: 'signal', id, signal: name });
      };
      started.pid = pid;
      started.running.resolve({ pid, exited: started.exit.promise, signal });
    } else {
      processes.delete(answer.id);
      if (answer.type === 'failed') started.running.reject(new Error(answer.message));
      else started.exit.resolve({ how: answer.how, clean: answer.clean });
    }
  });
  void gone.then(() => {
    for (const started of processes.values()) abandon(started);
    processes.clear();
  });

  return {
    start: (command) => {
      const id = nextId++;
      const started: Started = { pid: undefined, running: Promise.withResolvers(), exit: Promise.withResolvers() };
      if (!child.connected) {
        abandon(started);
      } else {
        processes.set(id, started);
        send({ type: 'start', id, command });
      }
      return started.running.promise;
    },
    end: async () => {
      if (child.connected) child.disconnect();
      await gone;
      // The guardian has already removed the folder, unless it was killed.
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

interface Started {
  pid: number | undefined;
  running: PromiseWithResolvers<GuardedProcess>;
  exit: PromiseWithResolvers<Exit>;
}

/** Ends a process whose guardian was killed, in the guardian's place. */
function abandon({ pid, running, exit }: Started): void {
  if (pid !== undefined) killGroup(pid);
  running.reject(new Error('the guardian of the local servers has ended'));
  exit.resolve({ how: 'its guardian ended', clean: false });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process ended with its guardian.
  }
}

export function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}
