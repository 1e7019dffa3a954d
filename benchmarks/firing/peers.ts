import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { startChild, type Child } from '../child.ts';
import { startCpuMeter, withDescendants } from '../cpu.ts';
import { createDatabase } from '../own-database.ts';
import type { Order } from '../peers/peer-orders.ts';
import { requirePeers } from '../peers/load-peer.ts';
import { requireRedis, startRedis } from '../peers/redis-server.ts';
import { median, percentile, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { microsPerJob, perSecondOf, withFiring, type Lags } from './lags.ts';
import { measureOffersTurn } from './offers.ts';

/**
 * Measures how late a handler that only reads the clock begins, in queues that are often used for delayed jobs.
 * Muster's jobs are measured on their topic, from which a dispatcher reads them. The same number of jobs is due over
 * the same seconds, stored beforehand, in turns on the same servers.
 */
const rate = 5000;
const leadMs = 5000;
/** Lead time for each job. The slowest queue stores some 20,000 jobs a second on a machine of its own. */
const leadPerJobMs = 0.3;
/** Poll interval of the queues that can configure it: the same as Muster's. */
const pollIntervalMs = 10;
const targetRatio = 0.2;

interface Peer {
  name: string;
  queue: string;
  /** Concurrent handlers: the number with the smallest lag for this queue. */
  atOnce: number;
}

const peers: readonly Peer[] = [
  { name: 'BullMQ', queue: 'bullmq', atOnce: 200 },
  { name: 'graphile-worker', queue: 'graphile-worker', atOnce: 200 },
  // pg-boss fetches 500 jobs at a time. It polls twice a second, and 2,500 jobs are due each time.
  { name: 'pg-boss', queue: 'pg-boss', atOnce: 2000 },
];

interface Contestant {
  name: string;
  takeTurn: () => Promise<Lags>;
}

export async function measurePeerLags(servers: Servers, rounds: number, seconds: number): Promise<Table[]> {
  requirePeers();
  const redis = await startRedis(requireRedis(process.env));
  const closers = [() => redis.stop()];
  try {
    return await withFiring(servers, async (firing) => {
      const muster = { name: 'Muster', takeTurn: () => measureOffersTurn(servers, firing, { rate, seconds }) };
      const contestants: Contestant[] = [muster];
      for (const peer of peers) {
        const opened = await openPeer(peer, servers, redis, seconds);
        closers.push(() => opened.close());
        contestants.push(opened);
      }
      const turns = await takeTurns(contestants, rounds);
      return [
        { title: `${rate} due a second, to the topic or to the handler`, rows: rowsOf(turns) },
        { title: 'Target', rows: [targetRow(turns)] },
      ];
    });
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** Runs all contestants in each round. The contestant that begins changes from round to round. */
async function takeTurns(contestants: readonly Contestant[], rounds: number): Promise<Map<string, Lags[]>> {
  const turns = new Map(contestants.map(({ name }) => [name, new Array<Lags>()]));
  for (let round = 0; round < rounds; round++) {
    const first = round % contestants.length;
    for (const { name, takeTurn } of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const lags = await takeTurn();
      turns.get(name)?.push(lags);
      console.error(`round ${round + 1} of ${rounds}: ${name}, p99 ${rounded(percentile(lags.lagsMs, 0.99))} ms`);
    }
  }
  return turns;
}

const lagsShape = z.array(z.number());

/** Opens a queue: one process stores the jobs, and another works on them. */
async function openPeer(
  { name, queue, atOnce }: Peer,
  { infrastructure }: Servers,
  redis: { port: number; pid: number },
  seconds: number,
): Promise<Contestant & { close(): Promise<void> }> {
  const database = await createDatabase(infrastructure.databaseUrl);
  const script = join(import.meta.dirname, '../peers/peer-process.ts');
  const [producer, worker] = [startChild(script), startChild(script)];
  const tell = (child: Child, order: Order) => child.ask(order);
  for (const child of [producer, worker]) {
    await child.receive();
    await tell(child, { order: 'open', queue, servers: { redisPort: redis.port, databaseUrl: database.url } });
  }
  const processes = {
    worker: () => [worker.pid],
    ...(queue === 'bullmq' && { redis: () => [redis.pid] }),
    postgres: () => withDescendants(infrastructure.postgres.pid()),
  };
  return {
    name,
    takeTurn: async () => {
      const jobs = rate * seconds;
      await tell(producer, { order: 'empty' });
      const fromMs = Math.ceil(Date.now() + leadMs + jobs * leadPerJobMs);
      const storedMs = z.number().parse(await tell(producer, { order: 'store', jobs, fromMs, overMs: seconds * 1000 }));
      if (storedMs > fromMs) throw new Error(`${name}: the first jobs were due before all had been stored`);
      const watched = tell(worker, { order: 'watch', jobs, atOnce, pollEveryMs: pollIntervalMs });
      await wait(Math.max(0, fromMs - Date.now()));
      const cpu = startCpuMeter(processes);
      const lagsMs = lagsShape.parse(await watched);
      return { perSecond: perSecondOf(jobs, fromMs), lagsMs, cpu: microsPerJob(cpu(), jobs) };
    },
    close: async () => {
      await Promise.all([producer.stop(), worker.stop()]);
      await database.drop();
    },
  };
}

const p99sOf = (turns: readonly Lags[]) => turns.map(({ lagsMs }) => percentile(lagsMs, 0.99));

function rowsOf(turns: ReadonlyMap<string, readonly Lags[]>): Row[] {
  const muster = p99sOf(turns.get('Muster') ?? []);
  return [...turns].map(([name, own]) => {
    const at = (share: number) => rounded(median(own.map(({ lagsMs }) => percentile(lagsMs, share))));
    return {
      case: name,
      'done/s': median(own.map(({ perSecond }) => perSecond)),
      'p50, ms': at(0.5),
      'p99, ms': at(0.99),
      'max, ms': at(1),
      early: own.flatMap(({ lagsMs }) => lagsMs).filter((lag) => lag < 0).length,
      "Muster's p99 to it": rounded(ratioByRound(muster, p99sOf(own))),
      'CPU µs per job': byProcess(own),
    };
  });
}

function targetRow(turns: ReadonlyMap<string, readonly Lags[]>): Row {
  const [best] = peers.toSorted(
    (a, b) => median(p99sOf(turns.get(a.name) ?? [])) - median(p99sOf(turns.get(b.name) ?? [])),
  );
  const ratio = ratioByRound(p99sOf(turns.get('Muster') ?? []), p99sOf(turns.get(best?.name ?? '') ?? []));
  return {
    target: `p99 to that of the best of them, ${best?.name ?? ''}`,
    asked: `at most ${targetRatio}`,
    measured: rounded(ratio),
    verdict: ratio <= targetRatio ? 'reached' : 'missed',
  };
}

function byProcess(turns: readonly Lags[]): string {
  const names = Object.keys(turns[0]?.cpu ?? {});
  const microsOf = (name: string) => Math.round(median(turns.map(({ cpu }) => cpu[name] ?? 0)));
  return names
    .map((name) => [name, microsOf(name)] as const)
    .filter(([, micros]) => micros > 0)
    .map(([name, micros]) => `${name} ${micros}`)
    .join(', ');
}
