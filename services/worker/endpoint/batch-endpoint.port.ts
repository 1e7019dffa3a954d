import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { StepMode } from '../../../shared/domain/run/run-kinds.ts';

/** An action type as it is called. */
export interface CallableType {
  config: ActionTypeConfig;
  /** The whole `Authorization` header, where there is one. */
  authorization: string | undefined;
  /** A secret by Standard Webhooks, where our calls and questions are to be signed. */
  signing: string | undefined;
}

/** By name. */
export type CallableTypes = ReadonlyMap<string, CallableType>;

export interface BatchRequest {
  /** Configured name of the action type: decides URL, secret, time-out and size bound. */
  actionType: string;
  idempotencyKey: string;
  country: string;
  mode: StepMode;
  /** How often this key may have been sent, this time included, from 1. */
  attempt: number;
  /** W3C's header, where calls are traced. */
  traceparent?: string | undefined;
  /** By the process's `monotonicMs`: not to be sent later, for the step may be another's by then. */
  notAfterMs: number;
  body: Buffer;
}

/** Class C: what became of users whose call was not answered. */
export interface StatusRequest {
  actionType: string;
  country: string;
  /** That the users were called in. */
  mode: StepMode;
  /** W3C's header, where calls are traced. */
  traceparent?: string | undefined;
  body: Buffer;
}

/**
 * - `answered`: a whole HTTP answer arrived, whatever it says.
 * - `not-applied`: the call cannot have had an effect (connection refused, look-up or TLS failed).
 * - `ambiguous`: it may have had one (time-out, reset, half a body, answer too large).
 *
 * `timedOut`: it took too long.
 */
export type BatchAnswer =
  | {
      kind: 'answered';
      status: number;
      retryAfterMs: number | null;
      contentEncoding?: string | undefined;
      body: Buffer;
    }
  | { kind: 'not-applied'; cause: string; timedOut?: boolean | undefined }
  | { kind: 'ambiguous'; cause: string; timedOut?: boolean | undefined };

/** One HTTP call per batch, with no re-send underneath. Never throws. */
export interface BatchEndpoint {
  call(request: BatchRequest): Promise<BatchAnswer>;
  /** A question has no effect, so that it may be asked as often as needed. */
  askStatus(request: StatusRequest): Promise<BatchAnswer>;
}
