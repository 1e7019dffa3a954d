import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fromGuardian, type FaultSignal, type GuardedCommand, type ToGuardian } from './guardian-messages.ts';

export interface Exit {
  /** `exit code 1`, or the signal's name. */
  how: string;
  clean: boolean;
}

export interface GuardedProcess {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  signal(signal: FaultSignal): void;
}

/** Runs processes that end with this one, however it ends (guardian.ts). */
export interface Guardian {
  /** Resolves when the process runs; rejects with an error that has a `code` (`ENOENT`: no such command) when it could not be started. */
  start(command: GuardedCommand): Promise<GuardedProcess>;
  /** Ends every process and removes the folder. Safe to call twice. */
  end(): Promise<void>;
}

/** @param folder removed, with everything in it, when this process or `end` ends the guardian. */
export function createGuardian(folder: string): Guardian {
  const processes = new Map<number, PromiseWithResolvers<GuardedProcess> & { exit: PromiseWithResolvers<Exit> }>();
  let nextId = 1;
  const child = fork(`${import.meta.dirname}/guardian.ts`, [folder], {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const send = (order: ToGuardian) => child.send(order);

  child.on('message', (message: unknown) => {
    const told = fromGuardian.parse(message);
    const process = processes.get(told.id);
    if (process === undefined) return;
    if (told.type === 'started') {
      const { id, pid } = told;
      process.resolve({ pid, exited: process.exit.promise, signal: (signal) => send({ type: 'signal', id, signal }) });
    } else if (told.type === 'failed') {
      process.reject(Object.assign(new Error(told.message), { code: told.code }));
    } else {
      process.exit.resolve({ how: told.how, clean: told.clean });
    }
  });
  void gone.then(() => {
    for (const process of processes.values()) {
      process.reject(new Error('the guardian of the local servers ended'));
      process.exit.resolve({ how: 'its guardian ended', clean: false });
    }
  });
  return {
    start: (command) => {
      const id = nextId++;
      const process = { ...Promise.withResolvers<GuardedProcess>(), exit: Promise.withResolvers<Exit>() };
      processes.set(id, process);
      send({ type: 'start', id, command });
      return process.promise;
    },
    end: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

/** An environment as a plain record, to hand to a guarded command. */
export function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}
