import type { BaseParts } from '../frame/parts.ts';
import { createRevisions } from './postgres/revision-store.ts';

export function createRevisionParts({ pool }: BaseParts) {
  return { revisions: createRevisions({ pool }) };
}
