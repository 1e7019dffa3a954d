import type { ApiParts } from '../../frame/frame-module.ts';
import { createDryRuns } from './postgres/dry-runs.ts';

/** Campaigns carried out without a call. */
export function dryRunsModule({ pool, config }: Pick<ApiParts, 'pool' | 'config'>) {
  return { dryRuns: createDryRuns({ pool, quotas: config.quotas }) };
}
