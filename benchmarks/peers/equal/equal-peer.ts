import { usersPerBatch } from '../../campaign-times.ts';
import { startCpuMeter } from '../../cpu.ts';
import type { Stub } from '../../stub/stub.ts';
import { perBatch, type Contestant, type Turn } from '../contestant.ts';
import { awaitServed } from '../peer.ts';
import type { System } from './systems.ts';
import type { StepServers } from './step-peer.ts';
import { stepSums } from './step-rows.ts';
import { startStepWorker } from './step-workers.ts';

export interface EqualPeerOptions {
  system: System;
  servers: StepServers;
  stub: Stub;
  inFlight: number;
  /** Process ids of the servers that store the peer's jobs and outcomes, by name. */
  stores: Readonly<Record<string, () => readonly number[]>>;
}

/**
 * Starts a peer that keeps Muster's promise: a worker, and a producer that pages the audience and adds the jobs while
 * the worker works on them.
 */
export async function startEqualPeer(
  options: EqualPeerOptions,
): Promise<{ contestant: Contestant; stop: () => Promise<void> }> {
  const { system, servers, stub, inFlight, stores } = options;
  const worker = await startStepWorker(system.name, servers);
  await worker.tell({ order: 'prepare' });
  const producer = await startStepWorker(system.name, servers);
  const processes = {
    worker: () => [worker.pid],
    producer: () => [producer.pid],
    ...stores,
    endpoints: () => [stub.pid],
  };
  let turns = 0;

  async function takeTurn(latencyMs: number, batchesOfOthers: number): Promise<Turn> {
    const batches = Math.ceil(batchesOfOthers * system.share);
    const campaignId = `equal-${system.name}-${++turns}`;
    await producer.tell({ order: 'empty' });
    const read = startCpuMeter(processes);
    const terms = { url: `${stub.url}/batches/full/${latencyMs}`, form: 'full' as const, campaignId, inFlight };
    const [answer] = await Promise.all([
      worker.tell({ order: 'serve', batches, terms }),
      producer.tell({ order: 'enqueue', segmentationUrl: stub.url, users: batches * usersPerBatch }),
    ]);
    const cpu = perBatch(read(), batches);
    const written = stepSums.parse(answer);
    if (written.steps !== 2 * batches || written.succeeded !== batches * usersPerBatch) {
      throw new Error(`${system.title} wrote ${JSON.stringify(written)} for ${batches} batches`);
    }
    return { rate: (batches * 1000) / (await awaitServed(stub, campaignId)), cpu };
  }

  return {
    contestant: { name: system.title, promise: 'kept', takeTurn },
    stop: async () => {
      await Promise.all([worker.end(), producer.end()]);
    },
  };
}
