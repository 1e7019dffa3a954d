import type { ClientDefinition } from '../../../shared/contracts/jobs/clients.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import type { Page } from '../frame/page.port.ts';

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

/**
 * Clients as people change them. Every change moves the client's revision and that of all clients, in the same
 * transaction.
 */
export interface ClientStore {
  /** By id, oldest first. @param of these alone; undefined: all. @param cursor id of the last one seen */
  list(of: readonly string[] | undefined, limit: number, cursor: string | null): Promise<Page<Client>>;
  get(clientId: string): Promise<Client | undefined>;
  /** Undefined when another has this name. It has no key yet. */
  create(client: { clientId: string; name: string; definition: ClientDefinition }): Promise<Client | undefined>;
  /** Where nothing differs, nothing moves. @param expected revision; null for whatever it is */
  change(clientId: string, change: ClientChange, expected: number | null): Promise<ClientChanged>;
  /** Undefined when there is no such client. */
  addKey(clientId: string, key: NewClientKey): Promise<Client | undefined>;
  /** Ends a key at once. Undefined when there is no such client; where there is no such key, nothing moves. */
  removeKey(clientId: string, keyId: string): Promise<Client | undefined>;
}
