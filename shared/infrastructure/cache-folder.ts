import envPaths from 'env-paths';
import { z } from 'zod';
import { readEnvironment } from '../runtime/configuration/environment.ts';

export const cacheEnvironment = z.object({
  MUSTER_CACHE: z.string().optional().meta({
    description: 'Folder for Kafka’s jars and other missing programs: PostgreSQL, Chromium, Node',
    usual: 'the user’s cache folder',
  }),
});

/** Returns a folder shared by all checkouts of a user. `tools/provide-node.mjs` has the same rule for an old Node. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const { MUSTER_CACHE = envPaths('muster', { suffix: '' }).cache } = readEnvironment(cacheEnvironment, environment);
  return MUSTER_CACHE;
}
