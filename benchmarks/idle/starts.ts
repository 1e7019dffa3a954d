import { cpuSecondsOf } from '../cpu.ts';
import { startInstallation, type InstallationOptions } from '../installation.ts';
import { median, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import type { ServiceName, ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import type { EndSignal } from '../service-group.ts';

/** Measures the time and CPU of a service from its start until it is ready, while its servers are running. */
const services = ['api', 'scheduler', 'trigger', 'worker', 'dispatcher'] as const;
const slots = 200;

interface Start {
  seconds: number;
  cpuSeconds: number;
}

export async function measureStarts(servers: Servers, rounds: number): Promise<Table> {
  const rows: Row[] = [];
  const add = (what: string, starts: readonly Start[]) =>
    void rows.push({
      what,
      'ready after, s': rounded(median(starts.map(({ seconds }) => seconds))),
      'longest, s': rounded(Math.max(...starts.map(({ seconds }) => seconds))),
      'CPU until then, s': rounded(median(starts.map(({ cpuSeconds }) => cpuSeconds))),
    });
  add('`serve all`, stopped and started', await measureRestarts(servers, 'all', rounds, 'SIGTERM'));
  add('`serve all`, killed and started', await measureRestarts(servers, 'all', rounds, 'SIGKILL'));
  for (const service of services) {
    add(`${service}, killed and started`, await measureRestarts(servers, service, rounds, 'SIGKILL'));
  }
  return { title: `Starts, ${rounds} of each`, rows };
}

async function measureRestarts(
  servers: Servers,
  service: ServiceName,
  rounds: number,
  signal: EndSignal,
): Promise<Start[]> {
  console.error(`${service}, ${signal}`);
  const installation = await startInstallation(optionsOf(servers, service === 'all' ? 'one-process' : 'campaigns'));
  const environment = service === 'api' || service === 'all' ? installation.apiEnvironment : {};
  try {
    const starts: Start[] = [];
    // The installation has already started this process. The first round ends it without measuring its start.
    let running: ServiceProcess | undefined = installation.services.processes(service)[0];
    for (let round = 0; round < rounds; round++) {
      if (running) await installation.services.end(running, signal);
      const startedAt = performance.now();
      running = await installation.services.start(service, environment);
      starts.push({ seconds: (performance.now() - startedAt) / 1000, cpuSeconds: cpuSecondsOf(running.pid) });
    }
    return starts;
  } finally {
    await installation.stop();
  }
}

function optionsOf({ infrastructure, stub }: Servers, extent: 'one-process' | 'campaigns'): InstallationOptions {
  const type = { url: `${stub.url}/batches/full/0`, answerForm: 'full' as const, concurrency: slots };
  return {
    infrastructure,
    extent,
    countries: ['AA', 'AB', 'AC'],
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': type, 'send-message': type },
    workerSlots: [slots],
  };
}
