import { withDescendants } from '../cpu.ts';
import { createDatabase } from '../own-database.ts';
import type { Servers } from '../servers.ts';
import type { Contestant } from './contestant.ts';
import { withoutQueue, type ChosenPeers, type QueuePeer } from './chosen-peers.ts';
import { startEqualPeer } from './equal/equal-peer.ts';
import { openPeerServers, type PeerServers } from './equal/peer-servers.ts';
import type { System } from './equal/systems.ts';
import { startLoops } from './loops.ts';
import { startMuster } from './muster.ts';
import { startPeer } from './peer.ts';

/** All contestants, started on the same servers. */
export interface OpenedContestants {
  readonly contestants: readonly Contestant[];
  close(): Promise<void>;
}

export interface OpenTerms {
  redisCommand: string;
  chosen: ChosenPeers;
  latencies: readonly number[];
  inFlight: number;
}

export async function openContestants(
  { infrastructure, stub }: Servers,
  { redisCommand, chosen, latencies, inFlight }: OpenTerms,
): Promise<OpenedContestants> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  const postgres = () => withDescendants(infrastructure.postgres.pid());
  const contestants: Contestant[] = [];

  async function addLoops(): Promise<void> {
    const database = await createDatabase(infrastructure.databaseUrl);
    closers.push(database.drop);
    const loops = await startLoops({ stub, databaseUrl: database.url, inFlight, postgres });
    closers.push(() => loops.stop());
    contestants.push(loops.bare, ...(chosen.unequal.length > 0 ? [loops.naive] : []));
  }

  async function addMuster(): Promise<void> {
    const muster = await startMuster({ infrastructure, stub, inFlight, latencies });
    closers.push(() => muster.stop());
    contestants.push(muster.contestant);
  }

  async function addEqual(system: System, peerServers: PeerServers): Promise<void> {
    const opened = await peerServers.openFor(system.name, infrastructure.databaseUrl);
    const { servers } = opened;
    const stores = { ...opened.stores, postgres };
    closers.push(() => opened.close());
    const peer = await startEqualPeer({ system, servers, stub, inFlight, stores });
    closers.push(() => peer.stop());
    contestants.push(peer.contestant);
  }

  async function addUnequal({ name, queue }: QueuePeer, { redis }: PeerServers): Promise<void> {
    const database = await createDatabase(infrastructure.databaseUrl);
    closers.push(database.drop);
    const servers = { redisPort: redis.port, databaseUrl: database.url };
    const stores = { ...(queue === 'bullmq' && { redis: () => [redis.pid] }), postgres };
    const isInMemory = queue === withoutQueue.queue;
    const peer = await startPeer({ name, queue, servers, stub, inFlight, stores, isInMemory });
    closers.push(() => peer.stop());
    contestants.push(...peer.contestants);
  }

  try {
    const peerServers = await openPeerServers(redisCommand);
    closers.push(() => peerServers.close());
    await addLoops();
    await addMuster();
    for (const system of chosen.equal) await addEqual(system, peerServers);
    for (const peer of chosen.unequal) await addUnequal(peer, peerServers);
    return { contestants, close };
  } catch (error) {
    await close();
    throw error;
  }
}
