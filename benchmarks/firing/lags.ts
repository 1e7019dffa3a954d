import type { Servers } from '../servers.ts';
import { withDescendants } from '../cpu.ts';
import { percentile, rounded, type Row } from '../results.ts';
import { startFiring, type Firing, type JobsToAdd } from './installation.ts';
import type { Receiver } from './receiver.ts';

/** Jobs have to be stored before the first one is due. The lead time is this, plus `leadPerJobMs` for each job. */
const leadMs = 4000;
const leadPerJobMs = 0.1;
/** Jobs that warm up the services before the measurement. */
export const warmUp = { jobs: 10_000, overMs: 2000, inMs: 3000 };
export const timeoutMs = 120_000;

/** Lateness of jobs, and their cost. */
export interface Lags {
  perSecond: number;
  lagsMs: readonly number[];
  /** Microseconds per job, by process. */
  cpu: Readonly<Record<string, number>>;
}

export function leadTimeMs(jobs: number): number {
  return leadMs + jobs * leadPerJobMs;
}

export async function withFiring<Result>(
  { infrastructure }: Servers,
  work: (firing: Firing) => Promise<Result>,
): Promise<Result> {
  const firing = await startFiring(infrastructure);
  try {
    return await work(firing);
  } finally {
    await firing.stop();
  }
}

/**
 * Starts scheduler and dispatcher and runs warm-up jobs. Code that has not run yet is several times as slow, and in
 * production a service is new only for a short time.
 */
export async function startWarm(
  firing: Firing,
  receiver: Receiver,
  client: JobsToAdd['client'] = 'jobs',
): Promise<void> {
  await Promise.all([firing.start('scheduler'), firing.start('dispatcher')]);
  await firing.addJobs({ ...warmUp, url: `${receiver.url}warm/`, client });
  await firing.untilEnded(warmUp.jobs, timeoutMs);
}

export function meters({ infrastructure }: Servers, firing: Firing) {
  return {
    scheduler: () => firing.pids('scheduler'),
    dispatcher: () => firing.pids('dispatcher'),
    postgres: () => withDescendants(infrastructure.postgres.pid()),
    kafka: () => infrastructure.kafkaNodes.map((node) => node.pid()),
  };
}

export function microsPerJob(micros: Readonly<Record<string, number>>, jobs: number): Record<string, number> {
  return Object.fromEntries(Object.entries(micros).map(([name, sum]) => [name, sum / jobs]));
}

export function perSecondOf(jobs: number, fromMs: number): number {
  return rounded((jobs / Math.max(1, Date.now() - fromMs)) * 1000);
}

export function rowOf(name: string, { perSecond, lagsMs, cpu }: Lags): Row {
  const at = (share: number) => rounded(percentile(lagsMs, share));
  const early = lagsMs.filter((lag) => lag < 0).length;
  const micros = Object.entries(cpu).map(([process, sum]) => [`${process} µs`, Math.round(sum)] as const);
  return {
    case: name,
    'done/s': perSecond,
    'p50, ms': at(0.5),
    'p99, ms': at(0.99),
    'max, ms': at(1),
    early,
    ...Object.fromEntries(micros),
  };
}
