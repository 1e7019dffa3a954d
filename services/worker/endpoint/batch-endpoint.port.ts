import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { StepMode } from '../../../shared/domain/run/run-kinds.ts';

export interface CallableType {
  config: ActionTypeConfig;
  /** Value of the `Authorization` header; undefined if the endpoint needs none. */
  authorization: string | undefined;
  /**
   * Secret for signatures by the Standard Webhooks specification; undefined if calls and status requests are not
   * signed.
   */
  signing: string | undefined;
}

/** Action types by name, with their secrets. */
export type CallableTypes = ReadonlyMap<string, CallableType>;

export interface BatchRequest {
  /** Name of the action type, which determines the URL, the secret, the time-out and the maximum size of an answer. */
  actionType: string;
  idempotencyKey: string;
  country: string;
  mode: StepMode;
  /** Number of this call among all calls with its key, from 1. Numbers may be skipped. */
  attempt: number;
  /** W3C trace header; undefined if calls are not traced. */
  traceparent?: string | undefined;
  /** Monotonic time after which the call must not be sent, because another worker may have claimed the step by then. */
  notAfterMs: number;
  body: Buffer;
}

/** Status request of class C, about the users of a call that was not answered. */
export interface StatusRequest {
  actionType: string;
  mode: StepMode;
  /** W3C trace header; undefined if calls are not traced. */
  traceparent?: string | undefined;
  body: Buffer;
}

/**
 * Answer to a batch call.
 * - `answered`: a complete HTTP answer arrived, with any status.
 * - `not-applied`: the call certainly had no effect (connection refused; look-up or TLS failed).
 * - `ambiguous`: the call may have had an effect (time-out, reset, incomplete body, answer too large). `timedOut`: the
 *   call exceeded its time-out.
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

/**
 * Endpoint with one HTTP call per batch. It does not repeat a call without the caller's knowledge, except when a reused
 * connection was lost. Never throws.
 */
export interface BatchEndpoint {
  call(request: BatchRequest): Promise<BatchAnswer>;
  /** Requests the status. The request has no effect, so it may be repeated as needed. */
  askStatus(request: StatusRequest): Promise<BatchAnswer>;
}
