import type { EgressRule } from '../../../shared/contracts/jobs/endpoint-terms.ts';

/** Upper bound on the stored bytes of the answer to a job. */
export const keptAnswerBytes = 4096;

export interface ClientTls {
  /** Scheme, host and port of each server that may see the certificate. */
  origins: ReadonlySet<string>;
  /** Client certificate and private key in PEM format. Both have been validated. */
  certificate: string;
  key: string;
  /** Certificate authorities that sign the servers' certificates, in PEM format; null for the default authorities. */
  ca: string | null;
}

export interface CallLimits {
  /** Id of the endpoint. The default endpoint of a client has the client's id. Endpoints do not share connections. */
  clientId: string;
  /** Revision of the terms. A new call does not use a connection that was opened under an older revision. */
  revision: number;
  concurrency: number;
  /** Maximum duration of a call in milliseconds, from connecting to the last byte. */
  timeoutMs: number;
  /** Egress rules; without rules, any public address is allowed. */
  egress: readonly EgressRule[];
  tls?: ClientTls | undefined;
}

export interface Callback {
  limits: CallLimits;
  method: string;
  /** Scheme, host and port, in the form of `URL`. */
  origin: string;
  path: string;
  /** Names and values, alternating. */
  headers: string[];
  body: Buffer | null;
  /** Key of the record if the call is written to a topic: records with one key keep their order. */
  key?: string | undefined;
  /** Time-out of this call in milliseconds. Null or absent: the client's time-out applies. */
  timeoutMs?: number | undefined;
  /** Monotonic time after which the call must neither be sent nor be repeated. */
  notAfterMs: number;
}

/**
 * Result of a call. Users can see the causes, so they contain no addresses.
 * - `answered`: a response arrived, with any status. `body` is its first part.
 * - `unanswered`: no complete response arrived in time, or there was no connection.
 * - `unresolved`: no address was found for the host name, and nothing was sent. `isFinal`: a name server reports that
 *   there is no address; otherwise, no name server answered.
 * - `unsent`: the call cannot be made at present, and nothing was sent.
 * - `forbidden`: the client may not call this address, and nothing was sent.
 */
export type CallbackAnswer =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; body: Buffer }
  | { kind: 'unanswered'; cause: string }
  | { kind: 'unresolved'; cause: string; isFinal: boolean }
  | { kind: 'unsent'; cause: string }
  | { kind: 'forbidden'; cause: string };

export interface CallbackEndpoint {
  /**
   * Makes the call. Does not follow redirects, and never rejects. If a reused connection closes before the first byte
   * of a response, the call is sent a second time, and still counts as one call.
   */
  call(callback: Callback): Promise<CallbackAnswer>;
}
