import { z } from 'zod';
import { revisionDiff, type RevisionDiff } from '../../../shared/contracts/campaigns/campaign-revisions.ts';
import { differences } from '../../../shared/domain/differences.ts';
import { invalidCursor } from '../frame/public-ids.ts';

export const revisionNumber = z.coerce.number().int().min(1).max(2_147_483_647);

/** Returns the differences in the order in which people write the fields, not that of jsonb. */
export function inFieldOrder(fields: readonly string[], before: object, after: object): RevisionDiff['differences'] {
  const placeOf = ({ pointer }: { pointer: string }) => fields.indexOf(pointer.split('/')[1] ?? '');
  return revisionDiff.shape.differences
    .parse(differences(before, after))
    .toSorted((one, other) => placeOf(one) - placeOf(other));
}

export function placeOfRevision(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(cursor)) throw invalidCursor(cursor);
  return Number(cursor);
}
