import type { CampaignReach, Scope } from '../../../shared/domain/scopes.ts';

/** The part of a scope, or the account, that a thing belongs to. */
export type Owner =
  | { of: 'client'; clientId: string }
  | ({ of: 'campaign' } & CampaignReach)
  /**
   * Null: it was made before accounts, and belongs to operators of everything. A key of the account changes it if its
   * scope holds one of these scopes.
   */
  | { of: 'account'; account: string | null; scopes: readonly Scope[] };

/** Kinds of things that paths name and that have an owner. */
export const ownedKinds = [
  'job',
  'jobChange',
  'schedule',
  'campaign',
  'template',
  'run',
  'audience',
  'audienceCount',
  'savedAudience',
  'approval',
  'quarantinedStep',
  'webhook',
] as const;

export type OwnedKind = (typeof ownedKinds)[number];

/** Owners of what paths name. */
export interface Owners {
  /** Undefined if the id names nothing. */
  ownerOf(kind: OwnedKind, id: string): Promise<Owner | undefined>;
}
