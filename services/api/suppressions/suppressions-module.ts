import type { ApiParts } from '../frame/frame-module.ts';
import { createSuppressionStore } from './postgres/suppression-store.ts';

/** People whom no run calls. */
export function suppressionsModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { suppressions: createSuppressionStore({ pool }) };
}
