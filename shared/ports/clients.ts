import type { StoredClientAuth } from '../contracts/jobs/client-auth.ts';
import type { EndpointTerms } from '../contracts/jobs/client-endpoints.ts';
import type { ClientDefinition } from '../contracts/jobs/clients.ts';

/** One secret that calls are signed with. Several may be valid at once: that is how they are rotated. */
export interface ClientKey {
  keyId: string;
  /** As it is kept: by a secret box, bound to `clientKeyContext`. */
  sealed: string;
  createdAt: Date;
  /**
   * From then on nothing is signed with it; null: for good. A snapshot may hold keys that have expired since it was
   * read.
   */
  expiresAt: Date | null;
}

/** Where calls of a client go, and by which rules: what it does not say itself is its client's. */
export interface ClientEndpoint {
  /** By `endpointIdOf`. */
  endpointId: string;
  /** Unique among those of its client. */
  name: string;
  /** Moves with every change, from 1. Its client's moves with it. */
  revision: number;
  url: string;
  terms: EndpointTerms;
  /** False: nothing is called through it; its jobs wait. */
  enabled: boolean;
  disabledReason: string | null;
  /** Its own, sealed for its client. */
  auth: StoredClientAuth | null;
  /** Its own, sealed for its client. */
  keys: ClientKey[];
  createdAt: Date;
  updatedAt: Date;
}

/** Owner of jobs. */
export interface Client {
  clientId: string;
  /** Unique. */
  name: string;
  /** Moves with every change, from 1. */
  revision: number;
  definition: ClientDefinition;
  /** False: nothing is accepted for it, and nothing is called; what is stored waits. */
  enabled: boolean;
  /** Why it is not enabled, where a person said so. */
  disabledReason: string | null;
  /** What its calls are authorised with, secrets sealed for `authPlace`. */
  auth: StoredClientAuth | null;
  /** Not expired when they were read, newest first. */
  keys: ClientKey[];
  /** By name. */
  endpoints: ClientEndpoint[];
  createdAt: Date;
  updatedAt: Date;
}

/** Clients as every process reads them. */
export interface ClientSource {
  /** One cheap look: whether anything has changed since. */
  revision(): Promise<number>;
  /**
   * All clients, by name, as of one moment. One that this version cannot read, because a newer one wrote it, is left
   * out.
   */
  read(): Promise<{ revision: number; clients: Client[] }>;
}
