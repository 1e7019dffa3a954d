import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  startServiceProcess,
  type ServiceName,
  type ServiceProcess,
} from '../../shared/infrastructure/service-process.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { awaitServices, reasonNotReady } from './await-services.ts';

export interface ProcessSpec {
  /** As the log file is called: `worker-1`. */
  name: string;
  service: ServiceName;
  environment: NodeJS.ProcessEnv;
  /** Answers 2xx when the service is ready. */
  readyUrl: string;
}

export interface ProcessesDeps {
  /** Where each process's log goes. */
  folder: string;
  clock: Clock;
  note: (line: string) => void;
}

/** The services of the demo, each a process of its own. One that ends is started again, as a supervisor would. */
export interface Processes {
  /** Starts all of them and resolves when they are ready. @param report describes what is waited for */
  start(specs: readonly ProcessSpec[], report: (line: string) => void): Promise<void>;
  /** SIGKILL: it hears nothing of its end. */
  kill(name: string): void;
  /** Ends them: the services that call first, those that are called last. */
  stop(): Promise<void>;
}

const endDeadlineMs = 20_000;
const restartAfterMs = 1000;

export function createProcesses({ folder, clock, note }: ProcessesDeps): Processes {
  const running = new Map<string, ServiceProcess>();
  let stopping = false;

  function launch({ name, service, environment }: ProcessSpec): ServiceProcess {
    const started = startServiceProcess({ service, environment, logFile: join(folder, `${name}.log`) });
    running.set(name, started);
    return started;
  }

  /** Returns what the process still waits for; undefined if it is ready. @throws if it has ended */
  async function look(spec: ProcessSpec, started: ServiceProcess): Promise<string | undefined> {
    const reason = await reasonNotReady(spec.readyUrl);
    if (reason === undefined || started.running) return reason;
    const { logFile } = started;
    const how = String(await started.exited);
    throw new Error(`${spec.name} did not start (${how}): ${await lastWords(logFile)}; its log: ${logFile}`);
  }

  async function supervise(spec: ProcessSpec, first: ServiceProcess): Promise<void> {
    let current = first;
    for (;;) {
      const how = await current.exited;
      if (stopping) return;
      note(`${spec.name} ended (${how}) and is started again; its log: ${current.logFile}`);
      await clock.sleep(restartAfterMs);
      // What ended while the demo does is not wanted back.
      if (isStopping()) return;
      current = launch(spec);
    }
  }

  const isStopping = () => stopping;

  async function end(processes: ServiceProcess[]): Promise<void> {
    const enough = new AbortController();
    const impatient = clock.sleep(endDeadlineMs, enough.signal).then(async () => {
      if (!enough.signal.aborted) await Promise.all(processes.map((each) => each.end('SIGKILL')));
    });
    await Promise.all(processes.map((each) => each.end('SIGTERM')));
    enough.abort();
    await impatient;
  }

  return {
    start: async (specs, report) => {
      const launched = specs.map((spec) => ({ spec, started: launch(spec) }));
      const services = launched.map(({ spec, started }) => ({ name: spec.name, look: () => look(spec, started) }));
      await awaitServices(services, { clock, report });
      for (const { spec, started } of launched) void supervise(spec, started);
    },
    kill: (name) => {
      // Its end is seen by its supervisor.
      void running.get(name)?.end('SIGKILL');
    },
    stop: async () => {
      stopping = true;
      const all = [...running.values()];
      await end(all.filter(({ service }) => service !== 'sandbox'));
      await end(all.filter(({ service }) => service === 'sandbox'));
    },
  };
}

/** What a service says that cannot start: the line that names an error, or else the first that is no log entry. */
async function lastWords(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const spoken = lines.filter((line) => !line.startsWith('{'));
  return spoken.find((line) => /^\w*Error\b/.test(line)) ?? spoken[0] ?? lines.at(-1) ?? 'it said nothing';
}
