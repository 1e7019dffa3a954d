import type { ApiParts } from '../../frame/frame-module.ts';
import { createTestSends } from './postgres/test-sends.ts';

/** Campaigns tried on a few users. */
export function testSendsModule({ pool, config }: Pick<ApiParts, 'pool' | 'config'>) {
  const { quotas, engine } = config;
  return { testSends: createTestSends({ pool, quotas }), partitionsPerShard: engine.partitionsPerShard };
}
