import { canonicalJson } from '../../domain/approval/canonical-hash.ts';
import type { ApprovalCovers } from './approvals.ts';

/** A field that differs between two approvals; undefined: it is not in that one. */
export interface CoveredChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** What differs between what two approvals cover, by fields, in the order in which a campaign has them. */
export function coveredChanges(before: ApprovalCovers, after: ApprovalCovers): CoveredChange[] {
  const was = new Map<string, unknown>(Object.entries(before));
  const is = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...is.keys(), ...was.keys()])]
    .map((field) => ({ field, before: was.get(field), after: is.get(field) }))
    .filter((change) => canonicalJson(change.before ?? null) !== canonicalJson(change.after ?? null));
}
