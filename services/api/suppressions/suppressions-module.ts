import type { ApiParts } from '../frame/frame-module.ts';
import { createUploadPool } from '../../../shared/postgres/connection/pool.ts';
import { createSuppressionUploads } from './postgres/suppression-uploads.ts';
import { createSuppressionStore } from './postgres/suppression-store.ts';

/** People whom no run calls. */
export function suppressionsModule({ pool, poolOptions, onClose }: Pick<ApiParts, 'pool' | 'poolOptions' | 'onClose'>) {
  // Bounds the files read at once by one process.
  const uploadPool = onClose(createUploadPool(poolOptions('suppression-uploads')), (opened) => opened.end());
  return {
    suppressions: createSuppressionStore({ pool }),
    suppressionUploads: createSuppressionUploads({ uploadPool }),
  };
}
