import { join } from 'node:path';
import { z } from 'zod';
import { startChild, type Child } from '../child.ts';
import { startCpuMeter } from '../cpu.ts';
import { usersPerBatch } from '../campaign-times.ts';
import type { Stub } from '../stub/stub.ts';
import { perBatch, type Contestant, type Turn } from './contestant.ts';
import type { QueueServers } from './job-queue.ts';
import type { Order } from './peer-orders.ts';

export interface PeerOptions {
  /** Name of the peer in tables. */
  name: string;
  /** Name of the queue, which the benchmark sends to the processes of the peer when they start. */
  queue: string;
  servers: QueueServers;
  stub: Stub;
  inFlight: number;
  /** Process ids of the servers that store the peer's jobs and outcomes, by name. */
  stores: Readonly<Record<string, () => readonly number[]>>;
  /** True if jobs are kept in the worker's own memory. The worker then adds them itself, before it works. */
  isInMemory?: boolean;
}

/**
 * A peer with its two processes: a worker, and a producer that pages the audience and adds the jobs, as Muster's
 * trigger does.
 */
export interface Peer {
  readonly contestants: readonly Contestant[];
  stop(): Promise<void>;
}

const outcomes = z.object({ batches: z.int(), succeeded: z.int() });
const script = join(import.meta.dirname, 'peer-process.ts');

export async function startPeer(options: PeerOptions): Promise<Peer> {
  const { name, queue, servers, stub, inFlight, stores, isInMemory = false } = options;
  const worker = startChild(script);
  const producer = isInMemory ? worker : startChild(script);
  const tell = (child: Child, order: Order) => child.ask(order);
  for (const child of new Set([worker, producer])) {
    await child.receive();
    await tell(child, { order: 'open', queue, servers });
  }
  const processes = {
    worker: () => [worker.pid],
    ...(!isInMemory && { producer: () => [producer.pid] }),
    ...stores,
    endpoints: () => [stub.pid],
  };
  let turns = 0;

  const enqueue = (batches: number) =>
    tell(producer, { order: 'enqueue', segmentationUrl: stub.url, users: batches * usersPerBatch });
  const serve = async (campaignId: string, latencyMs: number, batches: number) => {
    const terms = { url: `${stub.url}/batches/full/${latencyMs}`, form: 'full' as const, campaignId, inFlight };
    const written = outcomes.parse(await tell(worker, { order: 'serve', batches, terms }));
    if (written.batches !== batches || written.succeeded !== batches * usersPerBatch) {
      throw new Error(`${name} wrote ${JSON.stringify(written)} for ${batches} batches`);
    }
  };

  async function takeTurn(latencyMs: number, batches: number, isEnqueuing: boolean): Promise<Turn> {
    const campaignId = `${queue}-${++turns}`;
    await tell(producer, { order: 'empty' });
    if (!isEnqueuing) await enqueue(batches);
    const read = startCpuMeter(processes);
    await Promise.all([serve(campaignId, latencyMs, batches), ...(isEnqueuing ? [enqueue(batches)] : [])]);
    const cpu = perBatch(read(), batches);
    return { rate: (batches * 1000) / (await awaitServed(stub, campaignId)), cpu };
  }

  const contestantOf = (title: string, isEnqueuing: boolean): Contestant => {
    return {
      name: title,
      promise: 'none',
      takeTurn: (latencyMs, batches) => takeTurn(latencyMs, batches, isEnqueuing),
    };
  };
  return {
    contestants: isInMemory
      ? [contestantOf(name, false)]
      : [contestantOf(`${name}, processing alone`, false), contestantOf(`${name}, with enqueueing`, true)],
    stop: async () => {
      await Promise.all([worker.stop(), producer.stop()]);
    },
  };
}

/**
 * Returns the milliseconds from the first call that the endpoints received to their last answer, measured as for
 * Muster.
 */
export async function awaitServed(stub: Stub, campaignId: string): Promise<number> {
  const [first, last] = await Promise.all([stub.progress(campaignId, 1), stub.progress(campaignId, 2)]);
  const endedAt = last?.lastAnswerAt ?? null;
  if (first === undefined || endedAt === null) throw new Error(`the endpoints saw nothing of ${campaignId}`);
  return endedAt - first.firstCallAt;
}
