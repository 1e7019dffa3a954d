import { join } from 'node:path';
import { startCpuMeter, withDescendants } from '../cpu.ts';
import { createDatabase } from '../own-database.ts';
import { median, percentile, publishTables, ratioByRound, rounded, type Row } from '../results.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { awaitReady } from '../../shared/infrastructure/await-ready.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { startServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { createBatchCaller, type BatchCaller } from './call-batches.ts';

/**
 * Measures the gain of a batch endpoint that runs one query per table and batch, compared with one per table and user.
 * The sandbox's rewards service writes results, balances and events in one transaction per batch. It runs twice: with
 * the same statements for a hundred users, or for one. Both take turns on one Postgres.
 */
const question = 'Milliseconds that the rewards service takes for a batch of 100 users';
const callsInFlight = [1, 4, 16] as const;
const batchesPerTurn = 400;
const quickBatches = 60;
const variants = ['per-batch', 'per-user'] as const;
const readyWithinMs = 30_000;

type Variant = (typeof variants)[number];

interface Turn {
  latenciesMs: number[];
  rate: number;
  /** CPU microseconds per batch, of the service and of Postgres. */
  cpu: Record<string, number>;
}

export async function benchmarkRewards({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const postgres = await startPostgresAlone(databaseSettings);
  const started: RewardsService[] = [];
  try {
    await warmDatabase(postgres.databaseUrl);
    const services = { 'per-batch': await start('per-batch'), 'per-user': await start('per-user') };
    const batches = quick ? quickBatches : batchesPerTurn;
    const measured = new Map<number, Record<Variant, Turn>[]>();
    for (const inFlight of callsInFlight) {
      for (const variant of variants) await takeTurn(services[variant], batches / 4, inFlight);
      const turns: Record<Variant, Turn>[] = [];
      for (let round = 1; round <= rounds; round++) {
        turns.push(await takeTurns(services, batches, inFlight, round));
        console.error(`${inFlight} in flight, round ${round} of ${rounds}`);
      }
      measured.set(inFlight, turns);
    }
    publishTables('rewards', question, [
      { title: 'Queries per batch beside queries per user', rows: rowsOf(measured) },
    ]);
  } finally {
    await Promise.all(started.map((service) => service.stop()));
    await postgres.stop();
  }

  async function start(variant: Variant): Promise<RewardsService> {
    const service = await startRewards(variant, postgres.databaseUrl, () => withDescendants(postgres.pid()));
    started.push(service);
    return service;
  }
}

/** Runs both variants, one after the other. The variant that begins changes from round to round. */
async function takeTurns(
  services: Record<Variant, RewardsService>,
  batches: number,
  inFlight: number,
  round: number,
): Promise<Record<Variant, Turn>> {
  const take = (variant: Variant) => takeTurn(services[variant], batches, inFlight);
  if (round % 2 === 1) {
    const perBatch = await take('per-batch');
    return { 'per-batch': perBatch, 'per-user': await take('per-user') };
  }
  const perUser = await take('per-user');
  return { 'per-batch': await take('per-batch'), 'per-user': perUser };
}

interface RewardsService {
  caller: BatchCaller;
  processes: Readonly<Record<string, () => readonly number[]>>;
  stop(): Promise<void>;
}

async function startRewards(
  variant: Variant,
  serverUrl: string,
  postgresPids: () => readonly number[],
): Promise<RewardsService> {
  const database = await createDatabase(serverUrl);
  const [port = 0] = await findFreePorts(1);
  const folder = temporaryFolder('muster-bench');
  const environment = {
    ...process.env,
    DATABASE_URL: database.url,
    SANDBOX_PORT: String(port),
    SANDBOX_REWARDS_STORE: 'postgres',
    SANDBOX_REWARDS_QUERIES: variant,
    LOG_LEVEL: 'error',
  };
  const logFile = join(folder.path, 'sandbox.log');
  const sandbox = startServiceProcess({ service: 'sandbox', environment, logFile });
  const url = `http://127.0.0.1:${port}`;
  await awaitReady({ name: 'sandbox', process: sandbox, readyUrl: `${url}/readyz` }, readyWithinMs);
  const caller = createBatchCaller(url, Math.max(...callsInFlight));
  return {
    caller,
    processes: { service: () => [sandbox.pid], postgres: postgresPids },
    stop: async () => {
      await caller.close();
      await sandbox.end('SIGTERM');
      await database.drop();
      folder.remove();
    },
  };
}

async function takeTurn({ caller, processes }: RewardsService, batches: number, inFlight: number): Promise<Turn> {
  const read = startCpuMeter(processes);
  const startedAt = performance.now();
  const latenciesMs = await caller.award(batches, inFlight);
  const rate = (batches * 1000) / (performance.now() - startedAt);
  const cpu = Object.entries(read()).map(([name, micros]) => [name, micros / batches] as const);
  return { latenciesMs, rate, cpu: Object.fromEntries(cpu) };
}

function rowsOf(measured: ReadonlyMap<number, readonly Record<Variant, Turn>[]>): Row[] {
  return [...measured].flatMap(([inFlight, rounds]) => {
    const middles = (variant: Variant) => rounds.map((round) => percentile(round[variant].latenciesMs, 0.5));
    return variants.map((variant) => {
      const all = rounds.flatMap((round) => round[variant].latenciesMs);
      const ratio = ratioByRound(middles(variant), middles('per-user'));
      const micros = (process: string) => median(rounds.map((round) => round[variant].cpu[process] ?? 0));
      return {
        'calls in flight': inFlight,
        queries: variant,
        'p50 ms': rounded(percentile(all, 0.5)),
        'p99 ms': rounded(percentile(all, 0.99)),
        'p50, less than per user, %': rounded(100 * (1 - ratio)),
        'batches/s': rounded(median(rounds.map((round) => round[variant].rate))),
        'CPU µs per batch: service, Postgres': `${rounded(micros('service'))}, ${rounded(micros('postgres'))}`,
      };
    });
  });
}
