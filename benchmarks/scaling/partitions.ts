import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { runToEnd, usersPerBatch } from '../campaign-times.ts';
import { startCpuMeter } from '../cpu.ts';
import { processesOf, startInstallation, type Installation } from '../installation.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createTopicAdmin } from '../../shared/kafka/cluster/topic-admin.ts';

/**
 * Measures how the number of partitions limits the workers if calls are the bottleneck: endpoints of 20 ms, 50
 * concurrent calls for each worker. Each number of partitions has its own action types in one installation, and their
 * campaigns take turns. Workers start and stop meanwhile.
 */
const latencyMs = 20;
const steps = ['award', 'message'] as const;
const slotsPerWorker = 50;
const partitionCounts = [1, 2, 4, 8, 16];
const workerCounts = [1, 2, 4];
const secondsPerTurn = 8;
const quickSeconds = 3;
/**
 * Highest rate of two shared cores with any number of workers. It limits a campaign's size: a longer campaign would
 * only take more time.
 */
const batchesPerSecondAtMost = 2500;
/** Time for Kafka's consumer group to rebalance with the new worker. */
const settleMs = 5000;
const country = 'SG';

interface Turn {
  rate: number;
  cpu: Record<string, number>;
}

/** Turns by number of workers and partitions, one per round. */
type Measured = Map<string, Turn[]>;

export async function measurePartitions(
  { infrastructure, stub }: Servers,
  { rounds, quick }: { rounds: number; quick: boolean },
): Promise<Table[]> {
  const type = { url: `${stub.url}/batches/full/${latencyMs}`, answerForm: 'full' as const, concurrency: 400 };
  const names = partitionCounts.flatMap((partitions) => steps.map((step) => actionOf(step, partitions)));
  const installation = await startInstallation({
    infrastructure,
    countries: [country],
    partitionsPerShard: 1,
    segmentationUrl: stub.url,
    actionTypes: Object.fromEntries(names.map((name) => [name, type])),
    workerSlots: [],
  });
  try {
    await raisePartitions(infrastructure.brokers, installation.topicPrefix);
    const seconds = quick ? quickSeconds : secondsPerTurn;
    const processes = processesOf(installation, infrastructure);
    const takeTurn = async (workers: number, partitions: number): Promise<Turn> => {
      const batches = Math.round(seconds * Math.min(idealRate(workers), batchesPerSecondAtMost));
      const chain = steps.map((step) => ({ action: actionOf(step, partitions) }));
      const users = batches * usersPerBatch;
      const campaign = { name: `${partitions} partitions`, countries: [country], segment: String(users), chain };
      const read = startCpuMeter(processes);
      const rate = batches / (await runToEnd(installation, stub, campaign, users));
      const cpu = Object.entries(read()).map(([process, micros]) => [process, micros / batches] as const);
      return { rate, cpu: Object.fromEntries(cpu) };
    };
    const measured: Measured = new Map();
    for (let round = 0; round <= rounds; round++) {
      for (const workers of alternateOrder(workerCounts, round)) {
        await setWorkerCount(installation, workers);
        for (const partitions of alternateOrder(partitionCounts, round)) {
          const turn = await takeTurn(workers, partitions);
          // The first round is a warm-up of broker, processes and the campaigns' topics.
          if (round > 0) turnsOf(measured, workers, partitions).push(turn);
          const what = `${workers} workers, ${partitions} partitions`;
          console.error(
            `${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${what}: ${rounded(turn.rate)} batches/s`,
          );
        }
      }
    }
    return [{ title: `Endpoints of ${latencyMs} ms, ${slotsPerWorker} calls per worker`, rows: rowsOf(measured) }];
  } finally {
    await installation.stop();
  }
}

function actionOf(step: (typeof steps)[number], partitions: number): string {
  return `${step}-on-${partitions}`;
}

/**
 * Increases the number of partitions as an operator does by hand. The installation begins with one partition per shard.
 */
async function raisePartitions(brokers: readonly string[], topicPrefix: string): Promise<void> {
  const logger = pino({ level: 'silent' });
  const admin = createTopicAdmin({ kafka: createKafka({ brokers, clientId: 'bench', logger }) });
  const specs = partitionCounts.flatMap((partitions) =>
    steps.map((step) => {
      return { topic: `${topicPrefix}.${actionOf(step, partitions)}.${country}`, partitions, replicationFactor: 1 };
    }),
  );
  await admin.ensureTopics(specs);
  await admin.close();
}

async function setWorkerCount(installation: Installation, wanted: number): Promise<void> {
  const surplus = [...installation.workers].slice(wanted);
  await Promise.all(surplus.map((worker) => installation.endWorker(worker)));
  while (installation.workers.size < wanted) await installation.startWorker(slotsPerWorker);
  await wait(settleMs);
}

/** Returns the counts in reverse order in odd rounds. */
function alternateOrder(counts: readonly number[], round: number): readonly number[] {
  return round % 2 === 0 ? counts : counts.toReversed();
}

function turnsOf(measured: Measured, workers: number, partitions: number): Turn[] {
  const name = `${workers}/${partitions}`;
  const turns = measured.get(name) ?? [];
  measured.set(name, turns);
  return turns;
}

/** Returns the rate of this many workers if their calls never had to wait. */
function idealRate(workers: number): number {
  return (workers * slotsPerWorker * 1000) / (latencyMs * steps.length);
}

function rowsOf(measured: Measured): Row[] {
  return partitionCounts.flatMap((partitions) =>
    workerCounts.map((workers) => {
      const turns = turnsOf(measured, workers, partitions);
      const rates = turns.map(({ rate }) => rate);
      const one = turnsOf(measured, workerCounts[0] ?? 1, partitions).map(({ rate }) => rate);
      const micros = turns.map(({ cpu }) => Object.values(cpu).reduce((sum, value) => sum + value, 0));
      return {
        partitions,
        workers,
        'batches/s': rounded(median(rates)),
        'of ideal': rounded(median(rates) / idealRate(workers)),
        'to one worker': rounded(ratioByRound(rates, one)),
        'cores used': rounded(median(rates.map((rate, round) => (rate * (micros[round] ?? 0)) / 1e6))),
        'CPU µs per batch': rounded(median(micros)),
        'of it workers': rounded(median(turns.map(({ cpu }) => cpu['worker'] ?? 0))),
      };
    }),
  );
}
