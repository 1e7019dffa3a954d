import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonNotReady } from '../../../shared/infrastructure/await-ready.ts';
import {
  startServiceProcess,
  type ServiceName,
  type ServiceProcess,
} from '../../../shared/infrastructure/service-process.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { awaitServices } from './await-services.ts';

export interface ProcessSpec {
  /** Name of the process and its log file: `worker-1`. */
  name: string;
  service: ServiceName;
  environment: NodeJS.ProcessEnv;
  /** URL that answers 2xx when the service is ready. */
  readyUrl: string;
}

export interface ProcessesDeps {
  folder: string;
  clock: Clock;
  note: (line: string) => void;
}

/** Processes of the demo's services. A process that ends is restarted, as by a supervisor. */
export interface Processes {
  /**
   * Starts all processes, and resolves when they are ready.
   * @param report receives descriptions of waiting services
   */
  start(specs: readonly ProcessSpec[], report: (line: string) => void): Promise<void>;
  /** Sends SIGKILL, which the process cannot handle. */
  kill(name: string): void;
  /** Returns true if all processes are ready. */
  areReady(): Promise<boolean>;
  /** Ends the processes: callers first, called services last. */
  stop(): Promise<void>;
}

/** Services that the others call. */
const called: ReadonlySet<ServiceName> = new Set(['sandbox', 'connectors']);

const endDeadlineMs = 20_000;
const restartAfterMs = 1000;

export function createProcesses({ folder, clock, note }: ProcessesDeps): Processes {
  const running = new Map<string, ServiceProcess>();
  const readyUrls = new Map<string, string>();
  let stopping = false;

  function launch({ name, service, environment, readyUrl }: ProcessSpec): ServiceProcess {
    const started = startServiceProcess({ service, environment, logFile: join(folder, `${name}.log`) });
    running.set(name, started);
    readyUrls.set(name, readyUrl);
    return started;
  }

  /** Returns the reason why the process is not ready; undefined if it is ready. @throws if the process has ended */
  async function probe(spec: ProcessSpec, started: ServiceProcess): Promise<string | undefined> {
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
      // A process that ends during shutdown is not restarted.
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
      const services = launched.map(({ spec, started }) => ({ name: spec.name, probe: () => probe(spec, started) }));
      await awaitServices(services, { clock, report });
      for (const { spec, started } of launched) void supervise(spec, started);
    },
    kill: (name) => {
      // The supervisor handles the end of the process.
      void running.get(name)?.end('SIGKILL');
    },
    areReady: async () => {
      const reasons = await Promise.all([...readyUrls.values()].map(reasonNotReady));
      return reasons.every((reason) => reason === undefined);
    },
    stop: async () => {
      stopping = true;
      const all = [...running.values()];
      await end(all.filter(({ service }) => !called.has(service)));
      await end(all.filter(({ service }) => called.has(service)));
    },
  };
}

/** Returns the error line of a service that could not start, or else the first line that is not a log entry. */
async function lastWords(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const spoken = lines.filter((line) => !line.startsWith('{'));
  return spoken.find((line) => /^\w*Error\b/.test(line)) ?? spoken[0] ?? lines.at(-1) ?? 'it said nothing';
}
