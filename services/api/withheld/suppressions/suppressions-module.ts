import type { ApiParts } from '../../frame/frame-module.ts';
import { createSuppressionUploads } from './postgres/suppression-uploads.ts';
import { createSuppressionStore } from './postgres/suppression-store.ts';

/** People whom no run calls. */
export function suppressionsModule({ pool, uploadPool }: Pick<ApiParts, 'pool' | 'uploadPool'>) {
  return {
    suppressions: createSuppressionStore({ pool }),
    suppressionUploads: createSuppressionUploads({ pool, uploadPool }),
  };
}
