import type { ApiParts } from '../frame/frame-module.ts';
import { createUploadPool } from '../../../shared/postgres/connection/pool.ts';
import { createSuppressionUploads } from './postgres/suppression-uploads.ts';
import { createSuppressionStore } from './postgres/suppression-store.ts';

/** Files read at once by one process. */
const maxUploads = 2;

/** People whom no run calls. */
export function suppressionsModule({ pool, poolOptions, onClose }: Pick<ApiParts, 'pool' | 'poolOptions' | 'onClose'>) {
  const options = poolOptions('suppression-uploads', maxUploads);
  const uploadPool = onClose(createUploadPool(options), (opened) => opened.end());
  return {
    suppressions: createSuppressionStore({ pool }),
    suppressionUploads: createSuppressionUploads({ uploadPool }),
  };
}
