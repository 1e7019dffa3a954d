import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { findFreePorts } from '../../../shared/infrastructure/free-ports.ts';
import { createGuardian } from '../../../shared/infrastructure/guarded-processes.ts';
import { startLocalKafka, type KafkaListener, type LocalBroker } from '../../../shared/infrastructure/local-kafka.ts';
import { freezeProcesses, thawProcesses } from '../../support/freeze-processes.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/**
 * A Kafka of the test's own, to be killed and frozen. Brokers go by their node ids, from 1. It ends with the test's
 * process, however that ends.
 */
export interface OwnKafka {
  /** `host:port`, separated by commas. */
  readonly brokers: string;
  readonly nodes: readonly number[];
  /** Returns the node that leads the quorum of controllers, by the files of the nodes. */
  controller(): number;
  /** Kills the nodes by SIGKILL. Resolves when they have ended. */
  kill(...nodes: number[]): Promise<void>;
  /** Stops a node by SIGTERM, so that it hands over its partitions. */
  stop(node: number): Promise<void>;
  /**
   * Stops a node by SIGTERM, and starts another with an empty disk in its place. Resolves when the new node accepts
   * requests.
   */
  replace(node: number): Promise<void>;
  freeze(node: number): void;
  thaw(node: number): void;
  /** Starts the nodes together, because a single node may wait for the others. Resolves when all accept requests. */
  start(...nodes: number[]): Promise<void>;
  /** Continues and starts all nodes that a test left frozen or stopped. */
  heal(): Promise<void>;
  end(): Promise<void>;
}

export async function startOwnKafka(nodes: 1 | 3): Promise<OwnKafka> {
  return await startBrokers(nodes, undefined);
}

export interface KafkaBehindProxy extends OwnKafka {
  /** Address for clients. They stay behind the proxy, because the broker names the proxy as its own address. */
  readonly proxiedBrokers: string;
  readonly proxy: TcpProxy;
}

/** One broker with two listeners: a plain one for the witnesses, and one behind a network that a test can break. */
export async function startKafkaBehindProxy(): Promise<KafkaBehindProxy> {
  const [port = 0] = await findFreePorts(1);
  const proxy = await startTcpProxy({ host: '127.0.0.1', port });
  try {
    const door = { name: 'PROXIED', protocol: 'PLAINTEXT', port, advertisedPort: proxy.port, properties: {} } as const;
    const kafka = await startBrokers(1, door);
    return {
      ...kafka,
      proxiedBrokers: `127.0.0.1:${proxy.port}`,
      proxy,
      end: async () => {
        await proxy.close();
        await kafka.end();
      },
    };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}

const quorumState = z.object({ leaderId: z.int(), leaderEpoch: z.int() });

async function startBrokers(count: 1 | 3, listener: KafkaListener | undefined): Promise<OwnKafka> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-faults-'));
  const guardian = createGuardian(folder);
  try {
    chmodSync(folder, 0o755);
    const { brokers, nodes: servers } = await startLocalKafka(
      { nodes: count, ...(listener && { listener }) },
      { folder, environment: process.env, guardian, report: (line) => process.stderr.write(`${line}\n`) },
    );
    const nodes = servers.map((_, index) => index + 1);
    const down = new Set<number>();
    const frozen = new Set<number>();
    const serverOf = (node: number): LocalBroker => {
      const server = servers[node - 1];
      if (!server) throw new Error(`there is no broker ${node}`);
      return server;
    };
    const endBy = async (node: number, signal: 'SIGKILL' | 'SIGTERM') => {
      down.add(node);
      frozen.delete(node);
      const server = serverOf(node);
      const exited = server.exited();
      server.signal(signal);
      await exited;
    };
    const thaw = (node: number) => {
      frozen.delete(node);
      thawProcesses(serverOf(node).pid());
    };
    const start = async (...which: number[]) => {
      for (const node of which) down.delete(node);
      await Promise.all(which.map((node) => serverOf(node).restart()));
    };
    return {
      brokers: brokers.join(','),
      nodes,
      controller: () => newestLeader(nodes.map((node) => join(folder, `kafka-${node}`))),
      kill: async (...which) => {
        await Promise.all(which.map((node) => endBy(node, 'SIGKILL')));
      },
      stop: (node) => endBy(node, 'SIGTERM'),
      replace: async (node) => {
        await endBy(node, 'SIGTERM');
        await serverOf(node).emptyDisk();
        await start(node);
      },
      freeze: (node) => {
        frozen.add(node);
        freezeProcesses(serverOf(node).pid());
      },
      thaw,
      start,
      heal: async () => {
        for (const node of [...frozen]) thaw(node);
        if (down.size > 0) await start(...down);
      },
      end: () => guardian.end(),
    };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

/** Each node stores which node it considers the leader of the quorum. The newest epoch is right. */
function newestLeader(folders: readonly string[]): number {
  const states = folders.map((folder) => {
    const path = join(folder, 'data/__cluster_metadata-0/quorum-state');
    return quorumState.parse(JSON.parse(readFileSync(path, 'utf8')));
  });
  const [newest] = states.filter(({ leaderId }) => leaderId > 0).toSorted((a, b) => b.leaderEpoch - a.leaderEpoch);
  if (!newest) throw new Error('no controller leads');
  return newest.leaderId;
}
