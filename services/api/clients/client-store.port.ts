import type { ClientDefinition } from '../../../shared/contracts/jobs/clients.ts';
import type { Client } from '../../../shared/ports/clients.ts';

export interface NewClient {
  clientId: string;
  name: string;
  definition: ClientDefinition;
}

export interface ClientChange {
  name?: string | undefined;
  definition?: ClientDefinition | undefined;
  enabled?: boolean | undefined;
  /** Kept while it is not enabled. */
  disabledReason?: string | null | undefined;
}

export type ClientChanged =
  | { kind: 'changed'; client: Client }
  | { kind: 'missing' }
  /** It is not at the expected revision any more: nothing was changed. */
  | { kind: 'outdated'; client: Client }
  /** Another has this name. */
  | { kind: 'name-taken' };

export interface NewClientKey {
  keyId: string;
  /** Encrypted. */
  sealed: string;
  /** Keys that are there expire then, unless they do so earlier; null: they stay. */
  othersExpireAt: Date | null;
}
