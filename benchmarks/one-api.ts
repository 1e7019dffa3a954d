import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { awaitReady } from '../shared/infrastructure/await-ready.ts';
import { findFreePorts } from '../shared/infrastructure/free-ports.ts';
import { startServiceProcess, type ServiceProcess } from '../shared/infrastructure/service-process.ts';
import { startCpuMeter } from './cpu.ts';
import { ownRoot } from './installation.ts';
import { median, percentile, ratioByRound, rounded, type Row } from './results.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts an API process, sends equal requests in turns, and computes figures, for benchmarks of one API process. */
const readyWithinMs = 30_000;
/** Address without a server. The measured requests make no calls. */
export const unusedUrl = 'http://127.0.0.1:9';

export interface Turn {
  rate: number;
  latenciesMs: number[];
  /** CPU microseconds per item, by process. */
  cpu: Record<string, number>;
}

export type Processes = Readonly<Record<string, () => readonly number[]>>;

export interface OneApiOptions {
  /** Further settings of the engine's configuration file. The file names a segmentation service that does not exist. */
  engine?: object;
  environment: Record<string, string>;
  /** Folder of the source: this source tree by default, or another commit's. */
  root?: string;
}

export async function startOneApi(
  databaseUrl: string,
  { engine = {}, environment, root = ownRoot }: OneApiOptions,
): Promise<{ api: ServiceProcess; url: string }> {
  const [port = 0] = await findFreePorts(1);
  const folder = temporaryFolder('muster-bench').path;
  const config = join(folder, 'engine.json');
  writeFileSync(config, JSON.stringify({ segmentation: { url: `${unusedUrl}/v1` }, ...engine }));
  const basics = { DATABASE_URL: databaseUrl, MUSTER_CONFIG: config, API_PORT: String(port), LOG_LEVEL: 'error' };
  const api = startServiceProcess({
    service: 'api',
    environment: { ...process.env, ...basics, ...environment },
    logFile: join(folder, 'api.log'),
    root,
  });
  const url = `http://127.0.0.1:${port}`;
  await awaitReady({ name: 'api', process: api, readyUrl: `${url}/readyz` }, readyWithinMs);
  return { api, url };
}

export interface TurnTerms {
  atOnce: number;
  /** Number of jobs, receipts or rows in all pieces together. */
  items: number;
  processes: Processes;
}

/** Sends all pieces, `atOnce` of them at a time, and measures each one. */
export async function takeTurn<Piece>(
  pieces: readonly Piece[],
  { atOnce, items, processes }: TurnTerms,
  send: (piece: Piece) => Promise<void>,
): Promise<Turn> {
  const latenciesMs: number[] = [];
  const left = pieces.values();
  const sender = async () => {
    for (const piece of left) {
      const beganMs = performance.now();
      await send(piece);
      latenciesMs.push(performance.now() - beganMs);
    }
  };
  const read = startCpuMeter(processes);
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: atOnce }, sender));
  const rate = (items * 1000) / (performance.now() - startedMs);
  const cpu = Object.entries(read()).map(([name, micros]) => [name, micros / items] as const);
  return { rate, latenciesMs, cpu: Object.fromEntries(cpu) };
}

/** @param unit name of the items that rates count, such as jobs */
export function figuresOf(unit: string, turns: readonly Turn[], bare: readonly Turn[]): Row {
  const rates = turns.map(({ rate }) => rate);
  const all = turns.flatMap(({ latenciesMs }) => latenciesMs);
  const bareRates = bare.map(({ rate }) => rate);
  return {
    [`${unit}/s`]: rounded(median(rates)),
    'ratio to bare': rounded(ratioByRound(rates, bareRates)),
    'p50 ms': rounded(percentile(all, 0.5)),
    'p99 ms': rounded(percentile(all, 0.99)),
  };
}

/** Returns the median CPU microseconds of a process per item; null if the process did not run. */
export function microsOf(process: string, turns: readonly Turn[]): number | null {
  const values = turns.flatMap(({ cpu }) => cpu[process] ?? []);
  return values.length === 0 ? null : rounded(median(values));
}
