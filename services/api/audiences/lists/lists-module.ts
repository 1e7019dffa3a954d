import type { ApiParts } from '../../frame/frame-module.ts';
import { createAudienceStore } from './postgres/audience-store.ts';

/** Uploaded lists of users. */
export function audiencesModule({ pool, uploadPool, config }: Pick<ApiParts, 'pool' | 'uploadPool' | 'config'>) {
  return { audiences: createAudienceStore({ pool, uploadPool, quotas: config.quotas }) };
}
