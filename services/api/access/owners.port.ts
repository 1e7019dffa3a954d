import type { CampaignReach, Scope } from '../../../shared/domain/scopes.ts';

/** Owner of an object: a client, a campaign's countries and action types, or an account. */
export type Owner =
  | { of: 'client'; clientId: string }
  | ({ of: 'campaign' } & CampaignReach)
  /**
   * The object belongs to an account. `account` is null for objects that are older than accounts; only operators
   * without a scope may change these. A key of the account may change the object if its scope contains one of these
   * scopes.
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
  /** Returns the owner of an object; undefined if the object does not exist. */
  ownerOf(kind: OwnedKind, id: string): Promise<Owner | undefined>;
}
