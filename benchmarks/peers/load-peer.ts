import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import type { Adder } from '../accept/adder.ts';
import type { OpenQueue, QueueServers } from './job-queue.ts';

export type PeerName = 'bullmq' | 'pg-boss' | 'graphile-worker';

type OpenAdder = (servers: QueueServers) => Promise<Adder>;

const peerModule = z.object({
  openQueue: z.custom<OpenQueue>((value) => typeof value === 'function'),
  openAdder: z.custom<OpenAdder>((value) => typeof value === 'function'),
});

/**
 * Loads a queue by its name. The import uses a path, because the queue's library belongs to the package
 * `benchmarks/peers`: contributors need not install it, and type checks must pass without it.
 */
export async function loadPeer(name: PeerName): Promise<z.output<typeof peerModule>> {
  const file = join(import.meta.dirname, 'queues', `${name}.ts`);
  return peerModule.parse(await import(pathToFileURL(file).href));
}

/**
 * @throws {ConfigurationError} if the queues to compare with are not installed; the message has the command to install
 * them
 */
export function requirePeers(): void {
  if (existsSync(join(import.meta.dirname, 'node_modules'))) return;
  throw new ConfigurationError([
    'the queues that Muster is compared with are not installed: npm ci --prefix benchmarks/peers',
  ]);
}
