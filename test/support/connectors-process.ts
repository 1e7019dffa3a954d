import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitReady } from '../../shared/infrastructure/await-ready.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { startServiceProcess, type ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { freezeProcesses } from './freeze-processes.ts';

export interface ConnectorsProcessTerms {
  /** Database of the connectors themselves. */
  storeUrl: string;
  /** Contents of the connectors' file. */
  file: object;
  /** Environment variables, including those that the file names. */
  environment?: Readonly<Record<string, string>>;
  /** Folder of the sources; this checkout unless given. */
  root?: string | undefined;
}

/** The connectors as a separate process, which has the same ports after each start. */
export interface ConnectorsProcess {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  readonly healthPort: number;
  /** Resolves when the process is ready. */
  start(): Promise<void>;
  /** Sends the signal at once; SIGSTOP has taken effect when it returns. Throws if the process does not run. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the killed process has ended. */
  exited(): Promise<void>;
  /** Ends the process, also if it is stopped, and removes its file. */
  close(): Promise<void>;
}

const readyWithinMs = 60_000;

export async function createConnectorsProcess({
  storeUrl,
  file,
  environment = {},
  root,
}: ConnectorsProcessTerms): Promise<ConnectorsProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-connectors-'));
  const path = join(folder, 'connectors.json');
  writeFileSync(path, JSON.stringify(file));
  const [port = 0, healthPort = 0] = await findFreePorts(2);
  let running: ServiceProcess | undefined;

  function signal(name: NodeJS.Signals): void {
    if (!running?.running) throw new Error('the connectors do not run');
    if (name === 'SIGSTOP') freezeProcesses(running.pid);
    else process.kill(running.pid, name);
  }

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    healthPort,
    start: async () => {
      running = startServiceProcess({
        service: 'connectors',
        environment: {
          ...process.env,
          DATABASE_URL: storeUrl,
          CONNECTORS_CONFIG: path,
          CONNECTORS_PORT: String(port),
          HEALTH_PORT: String(healthPort),
          ...environment,
        },
        logFile: join(folder, 'connectors.log'),
        ...(root !== undefined && { root }),
      });
      const readyUrl = `http://127.0.0.1:${healthPort}/readyz`;
      await awaitReady({ name: 'connectors', process: running, readyUrl }, readyWithinMs);
    },
    signal,
    exited: async () => void (await running?.exited),
    close: async () => {
      if (running?.running) signal('SIGCONT');
      await running?.end('SIGTERM');
      rmSync(folder, { recursive: true });
    },
  };
}
