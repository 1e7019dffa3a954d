import { createUploadPool } from '../../../shared/postgres/connection/pool.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import { createAudienceStore } from './postgres/audience-store.ts';

/** Uploaded lists of users. */
export function audiencesModule({
  pool,
  config,
  poolOptions,
  onClose,
}: Pick<ApiParts, 'pool' | 'config' | 'poolOptions' | 'onClose'>) {
  // Apart: an upload holds its connection for as long as its sender takes, so it bounds uploads at once, too.
  const uploadPool = onClose(createUploadPool(poolOptions('uploads')), (opened) => opened.end());
  return { audiences: createAudienceStore({ pool, uploadPool, quotas: config.quotas }) };
}
