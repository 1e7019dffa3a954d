import type { ClientDefinition } from '../contracts/jobs/clients.ts';
import type { StoredClientAuth } from '../contracts/jobs/client-auth.ts';
import type { DefaultTerms, EndpointTerms } from '../contracts/jobs/endpoint-terms.ts';

/** A secret that calls are signed with. Several may be valid at once, so that they can be rotated. */
export interface ClientKey {
  keyId: string;
  /** Secret encrypted by a secret box, bound to `clientKeyContext`. */
  sealed: string;
  createdAt: Date;
  /** End of signing; null means never. A snapshot may hold keys that have expired since it was read. */
  expiresAt: Date | null;
}

/**
 * Destination and rules of a client's calls. Where the endpoint has no setting of its own, that of `default` applies.
 */
export interface ClientEndpoint {
  /** Id by `endpointIdOf`. */
  endpointId: string;
  /** Unique among the endpoints of the client. */
  name: string;
  /** Starts at 1 and increases with every change. Every change also increases the client's revision. */
  revision: number;
  /** URL of the calls; null if each job has its own URL, which only `default` allows. */
  url: string | null;
  terms: EndpointTerms;
  /** False if no call goes through the endpoint; its jobs wait. If `default` is disabled, so is its client. */
  enabled: boolean;
  disabledReason: string | null;
  /** Credentials of the endpoint itself, with secrets encrypted for its client by `authPlace`. */
  auth: StoredClientAuth | null;
  /** Signing keys of the endpoint itself that had not expired when they were read, newest first. */
  keys: ClientKey[];
  createdAt: Date;
  updatedAt: Date;
}

/** The endpoint `default`: it has the id of its client, and its terms are complete. */
export interface DefaultEndpoint extends ClientEndpoint {
  terms: DefaultTerms;
}

export interface Client {
  clientId: string;
  name: string;
  /** Starts at 1 and increases with every change. */
  revision: number;
  definition: ClientDefinition;
  /** Endpoints of the client: first `default`, then the others by name. */
  endpoints: [DefaultEndpoint, ...ClientEndpoint[]];
  createdAt: Date;
  updatedAt: Date;
}

export interface ClientSource {
  /** Returns the revision of the clients with one cheap query, so that callers notice changes. */
  revision(): Promise<number>;
  /**
   * Returns all clients by name, as of one moment, except clients that a newer version wrote and this version cannot
   * read.
   */
  read(): Promise<{ revision: number; clients: Client[] }>;
}
