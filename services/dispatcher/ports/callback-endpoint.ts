import type { EgressRule } from '../../../shared/contracts/jobs/clients.ts';

/** What is kept of the answer to a job. */
export const keptAnswerBytes = 4096;

/** What is shown and believed when a connection is made to one of these servers. */
export interface ClientTls {
  /** Scheme, host and port. */
  origins: ReadonlySet<string>;
  /** PEM, each; they can be read. */
  certificate: string;
  key: string;
  /** Who vouches for the servers, in place of the usual ones. */
  ca: string | null;
}

/** How calls of one client are made. */
export interface CallLimits {
  /** Or the endpoint's: no two share connections. */
  clientId: string;
  /** Connections made under an older one are not used for new calls. */
  revision: number;
  concurrency: number;
  /** From connecting to the last byte. */
  timeoutMs: number;
  /** Without rules: to any public address. */
  egress: readonly EgressRule[];
  tls?: ClientTls | undefined;
}

export interface Callback {
  limits: CallLimits;
  method: string;
  /** Scheme, host and port, as `URL` has it. */
  origin: string;
  /** With its query. */
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: Buffer | null;
  /** Where it is written to a topic: of those with one key, each comes behind the one before. */
  key?: string | undefined;
  /** In the place of its client's; that unless given. */
  timeoutMs?: number | undefined;
  /** By the monotonic clock: the call must not begin after, nor be sent once more. */
  notAfterMs: number;
}

/**
 * - `answered`: whatever it says; `body` is the first of it.
 * - `unanswered`: no whole answer came in time, or there was no connection.
 * - `unresolved`: no address of its name was found, and nothing was sent. `isFinal`: a name server says that there is
 *   none; otherwise none said anything.
 * - `unsent`: what it needs is not to be had now, and nothing was sent.
 * - `forbidden`: its address is none that this client may call. Nothing was sent.
 * Causes are for people and name no address.
 */
export type CallbackAnswer =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; body: Buffer }
  | { kind: 'unanswered'; cause: string }
  | { kind: 'unresolved'; cause: string; isFinal: boolean }
  | { kind: 'unsent'; cause: string }
  | { kind: 'forbidden'; cause: string };

export interface CallbackEndpoint {
  /**
   * Sends once, and follows no redirect. Never rejects. A call whose kept connection ends without a byte of an answer
   * is sent once more, and is one call all the same.
   */
  call(callback: Callback): Promise<CallbackAnswer>;
}
