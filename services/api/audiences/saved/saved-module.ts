import type { ApiParts } from '../../frame/frame-module.ts';
import { createSavedAudienceStore } from './postgres/saved-audience-store.ts';

/** Combinations of sources with a name (docs/decisions/0108-saved-audiences.md). */
export function savedAudiencesModule({ pool, config }: Pick<ApiParts, 'pool' | 'config'>) {
  return { savedAudiences: createSavedAudienceStore({ pool, quotas: config.quotas }) };
}
