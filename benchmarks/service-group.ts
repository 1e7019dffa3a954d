import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startService, type Child } from './child.ts';
import { findFreePorts } from '../shared/infrastructure/free-ports.ts';

/** `all`: one process that is all of them. */
export type ServiceName = 'api' | 'scheduler' | 'trigger' | 'worker' | 'dispatcher' | 'all';

/** The services of one installation, a process each. */
export interface ServiceGroup {
  /** Resolves when the service says that it is ready. */
  start(service: ServiceName, environment?: NodeJS.ProcessEnv): Promise<Child>;
  /** Lets a service finish what it has begun, unless the signal says otherwise. */
  end(child: Child, signal?: NodeJS.Signals): Promise<void>;
  /** Those that run. */
  children(service: ServiceName): Child[];
  pids(service: ServiceName): number[];
  /** @throws when one has ended by itself, with the last of what it wrote */
  requireRunning(): void;
  kill(): Promise<void>;
}

export interface ServiceGroupOptions {
  /** Where the engine's source lies. */
  root: string;
  environment: NodeJS.ProcessEnv;
  /** What they write goes to a file in there. */
  folder: string;
}

const readyDeadlineMs = 60_000;
const pollMs = 50;
const keptLogCharacters = 4000;

export function createServiceGroup({ root, environment, folder }: ServiceGroupOptions): ServiceGroup {
  const logFile = join(folder, 'services.log');
  const children = new Map<Child, ServiceName>();
  const lastWords = () => readFileSync(logFile, 'utf8').slice(-keptLogCharacters);

  function requireRunning(): void {
    for (const [child, service] of children) {
      if (!child.running) throw new Error(`the ${service} ended by itself: ${lastWords()}`);
    }
  }

  async function start(service: ServiceName, more: NodeJS.ProcessEnv = {}): Promise<Child> {
    const [port = 0] = await findFreePorts(1);
    const portName = service === 'api' ? 'API_PORT' : 'HEALTH_PORT';
    const ports = { [portName]: String(port) };
    const child = startService(root, service, { environment: { ...environment, ...ports, ...more }, logFile });
    children.set(child, service);
    const giveUpAt = performance.now() + readyDeadlineMs;
    const readyPort = service === 'api' ? (more['API_PORT'] ?? port) : port;
    const readyUrl = `http://127.0.0.1:${readyPort}/readyz`;
    while (!(await fetch(readyUrl).catch(() => undefined))?.ok) {
      requireRunning();
      if (performance.now() > giveUpAt) throw new Error(`the ${service} is not ready: ${lastWords()}`);
      await wait(pollMs);
    }
    return child;
  }

  const childrenOf = (service: ServiceName) =>
    [...children].flatMap(([child, name]) => (name === service ? [child] : []));

  return {
    start,
    requireRunning,
    children: childrenOf,
    end: async (child, signal) => {
      children.delete(child);
      await child.stop(signal);
    },
    pids: (service) => childrenOf(service).map(({ pid }) => pid),
    kill: async () => {
      await Promise.all([...children.keys()].map((child) => child.stop('SIGKILL')));
    },
  };
}
