import type { ApiParts } from '../../frame/frame-module.ts';
import { createUsedSegments } from './postgres/used-segments.ts';

/** Segments to choose from. */
export function segmentsModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { usedSegments: createUsedSegments({ pool }) };
}
