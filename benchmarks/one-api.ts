import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePorts } from '../shared/infrastructure/free-ports.ts';
import { startService, type Child } from './child.ts';
import { startCpuMeter } from './cpu.ts';
import { ownRoot } from './installation.ts';
import { median, percentile, ratioByRound, rounded, type Row } from './results.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * What benchmarks of one API process have in common: the process, turns of equal requests, and what is told of them.
 */
const readyDeadlineMs = 30_000;
const pollMs = 50;
/** No server listens there: what is measured makes no call. */
export const nowhere = 'http://127.0.0.1:9';

export interface Turn {
  rate: number;
  latenciesMs: number[];
  /** Microseconds per item, by process. */
  cpu: Record<string, number>;
}

export type Processes = Readonly<Record<string, () => readonly number[]>>;

export interface OneApiOptions {
  /** More of the engine's file, which names a segmentation service that is not there. */
  engine?: object;
  environment: Record<string, string>;
  /** Where the source lies: this tree, or another commit's. */
  root?: string;
}

export async function startOneApi(
  databaseUrl: string,
  { engine = {}, environment, root = ownRoot }: OneApiOptions,
): Promise<{ api: Child; url: string }> {
  const [port = 0] = await findFreePorts(1);
  const config = join(temporaryFolder('muster-bench').path, 'engine.json');
  writeFileSync(config, JSON.stringify({ segmentation: { url: `${nowhere}/v1` }, ...engine }));
  const basics = { DATABASE_URL: databaseUrl, MUSTER_CONFIG: config, API_PORT: String(port), LOG_LEVEL: 'error' };
  const api = startService(root, 'api', { environment: { ...basics, ...environment } });
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + readyDeadlineMs;
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (!api.running || performance.now() > giveUpAt) throw new Error('the API does not get ready');
    await wait(pollMs);
  }
  return { api, url };
}

export interface TurnTerms {
  atOnce: number;
  /** Jobs, receipts or rows in all pieces. */
  items: number;
  processes: Processes;
}

/** Does all pieces, `atOnce` of them at a time, and measures each. */
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

/** @param unit what rates are of, such as jobs */
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

/** Median microseconds of a process per item; null where it had no part. */
export function microsOf(process: string, turns: readonly Turn[]): number | null {
  const values = turns.flatMap(({ cpu }) => cpu[process] ?? []);
  return values.length === 0 ? null : rounded(median(values));
}
