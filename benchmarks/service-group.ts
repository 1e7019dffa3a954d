import { join } from 'node:path';
import { awaitReady, lastLines } from '../shared/infrastructure/await-ready.ts';
import { findFreePorts } from '../shared/infrastructure/free-ports.ts';
import {
  startServiceProcess,
  type ServiceName,
  type ServiceProcess,
} from '../shared/infrastructure/service-process.ts';
import { v8Flags } from '../shared/runtime/process/v8-flags.ts';

export type EndSignal = Parameters<ServiceProcess['end']>[0];

/** Services of one installation. Each one is a process. */
export interface ServiceGroup {
  /** Resolves when the service is ready. */
  start(service: ServiceName, environment?: NodeJS.ProcessEnv): Promise<ServiceProcess>;
  /** Ends a service: by default with SIGTERM, so that it finishes its work. */
  end(process: ServiceProcess, signal?: EndSignal): Promise<void>;
  /** Returns the processes that were started and not yet ended. */
  processes(service: ServiceName): ServiceProcess[];
  pids(service: ServiceName): number[];
  /** @throws an error with the last lines of the log if a process has exited by itself */
  requireRunning(): void;
  kill(): Promise<void>;
}

export interface ServiceGroupOptions {
  /** Folder of the source: this source tree's, or another commit's. */
  root: string;
  environment: NodeJS.ProcessEnv;
  /** Folder of the log file. */
  folder: string;
}

const readyWithinMs = 60_000;

export function createServiceGroup({ root, environment, folder }: ServiceGroupOptions): ServiceGroup {
  const logFile = join(folder, 'services.log');
  const running = new Set<ServiceProcess>();

  function requireRunning(): void {
    for (const { running: runs, service } of running)
      if (!runs) throw new Error(`the ${service} ended by itself\n${lastLines(service, logFile)}`);
  }

  async function start(service: ServiceName, more: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {
    const [port = 0] = await findFreePorts(1);
    const portName = service === 'api' ? 'API_PORT' : 'HEALTH_PORT';
    const own = { ...process.env, ...environment, [portName]: String(port), ...more };
    const started = startServiceProcess({ service, environment: own, logFile, root, nodeFlags: v8Flags });
    running.add(started);
    await awaitReady(
      { name: service, process: started, readyUrl: `http://127.0.0.1:${own[portName] ?? port}/readyz` },
      readyWithinMs,
    );
    return started;
  }

  const processesOf = (service: ServiceName) => [...running].filter((each) => each.service === service);

  return {
    start,
    requireRunning,
    processes: processesOf,
    end: async (started, signal = 'SIGTERM') => {
      running.delete(started);
      await started.end(signal);
    },
    pids: (service) => processesOf(service).map(({ pid }) => pid),
    kill: async () => {
      await Promise.all([...running].map((each) => each.end('SIGKILL')));
    },
  };
}
