import { findFreePorts } from '../../../shared/infrastructure/free-ports.ts';
import { createDatabase } from '../../own-database.ts';
import { startRedis, type RedisServer } from '../redis-server.ts';
import type { SystemName } from './load-system.ts';
import { startRestate } from './restate-server.ts';
import type { StepServers } from './step-peer.ts';

/** Servers that only peers need. */
export interface PeerServers {
  readonly redis: RedisServer;
  /** Creates the database of one peer, and starts a Restate if the peer needs one. */
  openFor(system: SystemName, serverUrl: string): Promise<OpenedServers>;
  close(): Promise<void>;
}

export interface OpenedServers {
  readonly servers: StepServers;
  /** Process ids of the servers beside Postgres that store the peer's jobs, by name. */
  readonly stores: Readonly<Record<string, () => readonly number[]>>;
  /** Stops what was started for the peer, and drops its database. */
  close(): Promise<void>;
}

export async function openPeerServers(redisCommand: string): Promise<PeerServers> {
  const redis = await startRedis(redisCommand);
  return {
    redis,
    openFor: async (system, serverUrl) => {
      const [workerPort = 0] = await findFreePorts(1);
      const database = await createDatabase(serverUrl);
      try {
        const restate = system === 'restate' ? await startRestate() : undefined;
        const ports = restate?.ports ?? { ingressPort: 0, adminPort: 0 };
        return {
          servers: { redisPort: redis.port, databaseUrl: database.url, restate: { ...ports, workerPort } },
          stores: {
            ...(system === 'bullmq' && { redis: () => [redis.pid] }),
            ...(restate && { restate: () => [restate.pid] }),
          },
          close: async () => {
            await restate?.stop();
            await database.drop();
          },
        };
      } catch (error) {
        await database.drop();
        throw error;
      }
    },
    close: () => redis.stop(),
  };
}
