import envPaths from 'env-paths';
import { z } from 'zod';
import { readEnvironment } from '../runtime/configuration/environment.ts';

export const cacheEnvironment = z.object({
  MUSTER_CACHE: z.string().optional().meta({
    description: 'Where Kafka’s jars are kept between runs, and what else a machine lacks: PostgreSQL, Chromium, Node',
    usual: 'the user’s cache folder',
  }),
});

/** Outside the tree, so that every checkout of a user shares it. As in `tools/provide-node.mjs`, for an old Node. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const { MUSTER_CACHE = envPaths('muster', { suffix: '' }).cache } = readEnvironment(cacheEnvironment, environment);
  return MUSTER_CACHE;
}
