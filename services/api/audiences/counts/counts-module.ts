import type { ApiParts } from '../../frame/frame-module.ts';
import { createCountRequests } from './postgres/count-requests.ts';

/** Audiences counted exactly. */
export function audienceCountsModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { countRequests: createCountRequests({ pool }) };
}
