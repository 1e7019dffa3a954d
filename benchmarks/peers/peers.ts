import { withDescendants } from '../cpu.ts';
import { createDatabase } from '../own-database.ts';
import { publishTables, rounded } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import type { Contestant, Turn } from './contestant.ts';
import { startLoops } from './loops.ts';
import { startMuster } from './muster.ts';
import { startPeer } from './peer.ts';
import { rowsOf, targetRows, type Measured } from './report.ts';
import { requirePeers } from './load-peer.ts';
import { requireRedis, startRedis } from './redis-server.ts';

/**
 * What does the chain of two steps cost beside what one would build it on instead: a job per batch on BullMQ, pg-boss
 * or graphile-worker? The same endpoints, the same HTTP client and readers of answers, one grouped outcome row per
 * batch, one worker process each. All take turns on the same servers, and the one that begins changes from round to
 * round.
 */
const question = 'Batches of 100 users per second through a chain of two steps, beside job queues';
const inFlight = 100;
const contests = [
  { latencyMs: 0, batches: 20_000 },
  { latencyMs: 5, batches: 20_000 },
  { latencyMs: 20, batches: 15_000 },
  { latencyMs: 50, batches: 6000 },
] as const;
const quickShare = 5;
/** A broker costs several times as much in its first minute, and V8 needs some ten thousand batches to settle. */
const warmUpBatches = 20_000;

const peers = [
  { name: 'BullMQ', queue: 'bullmq' },
  { name: 'pg-boss', queue: 'pg-boss' },
  { name: 'graphile-worker', queue: 'graphile-worker' },
] as const;

export interface PeersOptions {
  rounds: number;
  quick: boolean;
  /** One peer only. */
  only: string | undefined;
}

export async function benchmarkPeers({ rounds, quick, only }: PeersOptions): Promise<void> {
  const chosen = peers.filter(({ queue }) => only === undefined || queue === only);
  if (chosen.length === 0) {
    throw new ConfigurationError(`--only ${String(only)}: there are ${peers.map(({ queue }) => queue).join(', ')}`);
  }
  requirePeers();
  const redisCommand = requireRedis(process.env);
  await withServers(databaseSettings, async (servers) => {
    const field = await openField(servers, redisCommand, chosen);
    try {
      const share = quick ? quickShare : 1;
      await warmUp(field.contestants, servers.infrastructure.databaseUrl, share);
      const measured: Measured[] = [];
      for (const { latencyMs, batches } of contests) {
        const turns = await compete(field.contestants, rounds, { latencyMs, batches: batches / share });
        measured.push({ latencyMs, turns });
      }
      publishTables('peers', question, [
        ...measured.map((one) => ({
          title: `Endpoints of ${one.latencyMs} ms, ${inFlight} calls in flight`,
          rows: rowsOf(one),
        })),
        { title: 'Targets', rows: targetRows(measured) },
      ]);
    } finally {
      await field.close();
    }
  });
}

interface Field {
  contestants: readonly Contestant[];
  close(): Promise<void>;
}

async function openField(
  { infrastructure, stub }: Servers,
  redisCommand: string,
  chosen: readonly (typeof peers)[number][],
): Promise<Field> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  try {
    const redis = await startRedis(redisCommand);
    closers.push(() => redis.stop());
    const postgres = () => withDescendants(infrastructure.postgres.pid());
    const loopDatabase = await createDatabase(infrastructure.databaseUrl);
    const loops = await startLoops({ stub, databaseUrl: loopDatabase.url, inFlight, postgres });
    closers.push(loopDatabase.drop, () => loops.stop());
    const muster = await startMuster({
      infrastructure,
      stub,
      inFlight,
      latencies: contests.map(({ latencyMs }) => latencyMs),
    });
    closers.push(() => muster.stop());
    const contestants = [loops.bare, loops.naive, muster.contestant];
    const withoutQueue = { name: "no queue: peers' worker, jobs in its memory", queue: 'no-queue' };
    for (const { name, queue } of [withoutQueue, ...chosen]) {
      const database = await createDatabase(infrastructure.databaseUrl);
      const servers = { redisPort: redis.port, databaseUrl: database.url };
      const stores = { ...(queue === 'bullmq' && { redis: () => [redis.pid] }), postgres };
      const isInMemory = queue === withoutQueue.queue;
      const peer = await startPeer({ name, queue, servers, stub, inFlight, stores, isInMemory });
      closers.push(database.drop, () => peer.stop());
      contestants.push(...peer.contestants);
    }
    return { contestants, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function warmUp(contestants: readonly Contestant[], databaseUrl: string, share: number): Promise<void> {
  console.error('warming up: database');
  await warmDatabase(databaseUrl);
  for (const [index, { latencyMs }] of contests.entries()) {
    const batches = warmUpBatches / share / (index === 0 ? 1 : 10);
    for (const contestant of contestants) {
      console.error(`warming up: ${contestant.name}, ${latencyMs} ms`);
      await contestant.takeTurn(latencyMs, batches);
    }
  }
}

async function compete(
  contestants: readonly Contestant[],
  rounds: number,
  { latencyMs, batches }: { latencyMs: number; batches: number },
): Promise<Map<string, Turn[]>> {
  const turns = new Map(contestants.map(({ name }) => [name, new Array<Turn>()]));
  for (let round = 1; round <= rounds; round++) {
    const first = (round - 1) % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const turn = await contestant.takeTurn(latencyMs, batches);
      turns.get(contestant.name)?.push(turn);
      console.error(`${latencyMs} ms, round ${round} of ${rounds}: ${contestant.name} ${rounded(turn.rate)} batches/s`);
    }
  }
  return turns;
}
