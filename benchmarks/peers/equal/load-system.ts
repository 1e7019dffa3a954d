import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { OpenStepPeer } from './step-peer.ts';

export const systemName = z.enum(['graphile-worker', 'pg-boss', 'bullmq', 'dbos', 'restate']);

export type SystemName = z.infer<typeof systemName>;

const systemModule = z.object({
  openStepPeer: z.custom<OpenStepPeer>((value) => typeof value === 'function'),
});

/**
 * Loads a system by its name. The import uses a path, because the system's library belongs to the package
 * `benchmarks/peers`: contributors need not install it, and type checks must pass without it.
 */
export async function loadSystem(name: SystemName): Promise<OpenStepPeer> {
  const file = join(import.meta.dirname, 'systems', `${name}.ts`);
  return systemModule.parse(await import(pathToFileURL(file).href)).openStepPeer;
}
