import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { awaitReady } from '../shared/infrastructure/await-ready.ts';
import { findFreePorts } from '../shared/infrastructure/free-ports.ts';
import { startServiceProcess, type ServiceProcess } from '../shared/infrastructure/service-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

const readyWithinMs = 30_000;

export interface ConnectorsTerms {
  /** Database of the connectors, separate from the engine's. */
  storeUrl: string;
  /** Contents of the connectors' configuration file. */
  file: object;
  /** Environment variables, among them the ones that the file refers to. */
  environment: Readonly<Record<string, string>>;
}

export interface Connectors {
  process: ServiceProcess;
  /** Base URL, without a slash at its end. */
  url: string;
}

/** Starts the connectors as a separate process. Resolves when they answer requests. */
export async function startConnectors({ storeUrl, file, environment }: ConnectorsTerms): Promise<Connectors> {
  const [port = 0] = await findFreePorts(1);
  const folder = temporaryFolder('muster-bench').path;
  const path = join(folder, 'connectors.json');
  writeFileSync(path, JSON.stringify(file));
  const started = startServiceProcess({
    service: 'connectors',
    environment: {
      ...process.env,
      DATABASE_URL: storeUrl,
      CONNECTORS_CONFIG: path,
      CONNECTORS_PORT: String(port),
      LOG_LEVEL: 'error',
      ...environment,
    },
    logFile: join(folder, 'connectors.log'),
  });
  const url = `http://127.0.0.1:${port}`;
  await awaitReady({ name: 'connectors', process: started, readyUrl: `${url}/v1/segments` }, readyWithinMs);
  return { process: started, url };
}
