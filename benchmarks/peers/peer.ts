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
  /** As people call it. */
  name: string;
  /** As the peer's processes know it. */
  queue: string;
  servers: QueueServers;
  stub: Stub;
  inFlight: number;
  /** The servers that it keeps its jobs and outcomes in, by name. */
  stores: Readonly<Record<string, () => readonly number[]>>;
  /** Jobs that lie in the worker's own memory are added by itself, before it works. */
  isInMemory?: boolean;
}

/**
 * A peer with its processes: one worker, and one that pages the audience and adds the jobs, as Muster's trigger is one
 * of its own.
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
    return { rate: (batches * 1000) / (await servedMs(stub, campaignId)), cpu };
  }

  const contestantOf = (title: string, isEnqueuing: boolean): Contestant => {
    return { name: title, takeTurn: (latencyMs, batches) => takeTurn(latencyMs, batches, isEnqueuing) };
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

/** Milliseconds from the first call that the endpoints saw to their last answer, as for Muster. */
async function servedMs(stub: Stub, campaignId: string): Promise<number> {
  const [first, last] = await Promise.all([stub.progress(campaignId, 1), stub.progress(campaignId, 2)]);
  const endedAt = last?.lastAnswerAt ?? null;
  if (first === undefined || endedAt === null) throw new Error(`the endpoints saw nothing of ${campaignId}`);
  return endedAt - first.firstCallAt;
}
