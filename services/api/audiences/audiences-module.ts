import { createUploadPool } from '../../../shared/postgres/connection/pool.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import { createAudienceStore } from './postgres/audience-store.ts';

/** Lists uploaded at once to one process. */
const maxUploads = 4;

/** Uploaded lists of users. */
export function audiencesModule({
  pool,
  config,
  poolOptions,
  onClose,
}: Pick<ApiParts, 'pool' | 'config' | 'poolOptions' | 'onClose'>) {
  // Apart: an upload holds its connection for as long as its sender takes.
  const uploadPool = onClose(createUploadPool(poolOptions('uploads', maxUploads)), (opened) => opened.end());
  return { audiences: createAudienceStore({ pool, uploadPool, quotas: config.quotas }) };
}
