import type { ApiParts } from '../../frame/frame-module.ts';
import { createSystemFacts } from './postgres/system-facts.ts';

type Parts = Pick<ApiParts, 'pool' | 'config' | 'environment' | 'clock'>;

/** What the installation consists of, and with what this process runs. */
export function systemModule({ pool, config, environment, clock }: Parts) {
  return {
    systemFacts: createSystemFacts({ pool }),
    own: { environment, region: config.region, startedAt: clock.now() },
  };
}
