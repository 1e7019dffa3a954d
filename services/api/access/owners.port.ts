import type { CampaignReach, Scope } from '../../../shared/domain/scopes.ts';

/** Part of a scope, or account, that an object belongs to. */
export type Owner =
  | { of: 'client'; clientId: string }
  | ({ of: 'campaign' } & CampaignReach)
  /**
   * Object that belongs to an account. Null for objects older than accounts, which only operators without a scope may
   * change. A key of the account may change the object if its scope contains one of these scopes.
   */
  | { of: 'account'; account: string | null; scopes: readonly Scope[] };

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
  'notification',
] as const;

export type OwnedKind = (typeof ownedKinds)[number];

export interface Owners {
  /** Returns undefined if the object does not exist. */
  ownerOf(kind: OwnedKind, id: string): Promise<Owner | undefined>;
}
