import type { ApiParts } from '../../frame/frame-module.ts';
import { createNamedAudienceStore } from './postgres/named-audience-store.ts';

/** All that campaigns can name (docs/decisions/0117-all-audiences-in-one-list.md). */
export function namedAudiencesModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { namedAudiences: createNamedAudienceStore({ pool }) };
}
