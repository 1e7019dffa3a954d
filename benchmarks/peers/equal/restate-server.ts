import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '../../../shared/infrastructure/free-ports.ts';
import { createGuardian, definedOnly } from '../../../shared/infrastructure/guarded-processes.ts';
import { waitUntilReady } from '../../../shared/infrastructure/server-log.ts';
import { ConfigurationError } from '../../../shared/runtime/configuration/configuration-error.ts';

const host = '127.0.0.1';
const startDeadlineMs = 60_000;
/** Restate's own default is 24, for many more cores than a benchmark has. */
const partitions = 4;

export interface RestateServer {
  readonly pid: number;
  readonly ports: { ingressPort: number; adminPort: number };
  stop(): Promise<void>;
}

/** Starts the Restate server that belongs to the package `benchmarks/peers`; it ends with this benchmark. */
export async function startRestate(): Promise<RestateServer> {
  const command = serverCommand();
  const folder = mkdtempSync(join(tmpdir(), 'muster-restate-'));
  const guardian = createGuardian(folder);
  try {
    const [ingressPort = 0, adminPort = 0, nodePort = 0] = await findFreePorts(3);
    const logFile = join(folder, 'restate.log');
    const listening = ['--bind-ip', host, '--bind-port', String(nodePort), '--listen-mode', 'tcp'];
    const process = await guardian.start({
      command,
      args: ['--no-logo', '--base-dir', join(folder, 'data'), ...listening],
      cwd: folder,
      env: {
        ...definedOnly(globalThis.process.env),
        RESTATE_INGRESS__BIND_ADDRESS: `${host}:${ingressPort}`,
        RESTATE_ADMIN__BIND_ADDRESS: `${host}:${adminPort}`,
        RESTATE_DEFAULT_NUM_PARTITIONS: String(partitions),
        RESTATE_LOG_FILTER: 'warn',
        RESTATE_DISABLE_TELEMETRY: 'true',
      },
      logFile,
      endSignal: 'SIGKILL',
    });
    const urls = [`http://${host}:${adminPort}/health`, `http://${host}:${ingressPort}/restate/health`];
    const isReady = async () => (await Promise.all(urls.map(isHealthy))).every(Boolean);
    await waitUntilReady({ server: 'Restate', process, logFile, isReady, deadlineMs: startDeadlineMs });
    return { pid: process.pid, ports: { ingressPort, adminPort }, stop: () => guardian.end() };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

function serverCommand(): string {
  const system = `${platform()}-${arch()}`;
  try {
    const packageOfPeers = createRequire(join(import.meta.dirname, '../package.json'));
    return packageOfPeers.resolve(`@restatedev/restate-server-${system}/bin/restate-server`);
  } catch {
    throw new ConfigurationError(`the package @restatedev/restate-server has no server for ${system}`);
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
