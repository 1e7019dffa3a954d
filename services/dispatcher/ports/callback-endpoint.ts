import type { EgressRule } from '../../../shared/contracts/jobs/endpoint-terms.ts';

/** Upper bound on the stored bytes of the answer to a job. */
export const keptAnswerBytes = 4096;

export interface ClientTls {
  /** Scheme, host and port of each server. */
  origins: ReadonlySet<string>;
  /** PEM, for both; they are known to be readable. */
  certificate: string;
  key: string;
  /** Certificate authorities of the servers, in place of the usual ones. */
  ca: string | null;
}

export interface CallLimits {
  /** Id of the client or of the endpoint: no two share connections. */
  clientId: string;
  /** Revision of the terms. Connections of an older revision are not used for new calls. */
  revision: number;
  concurrency: number;
  /** Milliseconds from connecting to the last byte. */
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
  /** Time-out in place of the client's. */
  timeoutMs?: number | undefined;
  /** Monotonic time after which the call must neither begin nor be sent once more. */
  notAfterMs: number;
}

/**
 * Answer to a call. Causes are shown to people and name no address.
 * - `answered`: the answer arrived, whatever its status; `body` is its first part.
 * - `unanswered`: no whole answer arrived in time, or there was no connection.
 * - `unresolved`: no address of the name was found, and nothing was sent. `isFinal`: a name server reports that there
 * is none; otherwise no server answered.
 * - `unsent`: a precondition cannot be met now, and nothing was sent.
 * - `forbidden`: the client may not call this address. Nothing was sent.
 */
export type CallbackAnswer =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; body: Buffer }
  | { kind: 'unanswered'; cause: string }
  | { kind: 'unresolved'; cause: string; isFinal: boolean }
  | { kind: 'unsent'; cause: string }
  | { kind: 'forbidden'; cause: string };

export interface CallbackEndpoint {
  /**
   * Sends the call and follows no redirect. Never rejects. If a kept connection ends without a byte of an answer, the
   * call is sent once more, and still counts as one call.
   */
  call(callback: Callback): Promise<CallbackAnswer>;
}
