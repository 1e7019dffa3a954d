import { revisionDiff, type RevisionDiff } from '../../../shared/contracts/campaigns/revisions.ts';
import { differences } from '../../../shared/domain/differences.ts';

/**
 * Returns the differences in the order of fields in which people write a definition. The order of fields in jsonb is
 * another.
 */
export function inFieldOrder(fields: readonly string[], before: object, after: object): RevisionDiff['differences'] {
  const placeOf = ({ pointer }: { pointer: string }) => fields.indexOf(pointer.split('/')[1] ?? '');
  return revisionDiff.shape.differences
    .parse(differences(before, after))
    .toSorted((one, other) => placeOf(one) - placeOf(other));
}
