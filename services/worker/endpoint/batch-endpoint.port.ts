import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { StepMode } from '../../../shared/domain/run/run-kinds.ts';

export interface CallableType {
  config: ActionTypeConfig;
  /** Value of the `Authorization` header, if there is one. */
  authorization: string | undefined;
  /** Secret for signatures by Standard Webhooks, if calls and status requests are signed. */
  signing: string | undefined;
}

/** Action types by name. */
export type CallableTypes = ReadonlyMap<string, CallableType>;

export interface BatchRequest {
  /** Configured name of the action type, which determines URL, secret, time-out and size bound. */
  actionType: string;
  idempotencyKey: string;
  country: string;
  mode: StepMode;
  /** Upper bound on the number of times that this key has been sent, including this call; at least 1. */
  attempt: number;
  /** W3C trace header, if calls are traced. */
  traceparent?: string | undefined;
  /** Monotonic time after which the call must not be sent, because another worker may have the step by then. */
  notAfterMs: number;
  body: Buffer;
}

/** Status request of class C, about users whose call was not answered. */
export interface StatusRequest {
  actionType: string;
  mode: StepMode;
  /** W3C trace header, if calls are traced. */
  traceparent?: string | undefined;
  body: Buffer;
}

/**
 * Answer to a batch call.
 * - `answered`: a whole HTTP answer arrived, whatever its status.
 * - `not-applied`: the call cannot have had an effect (connection refused, look-up or TLS failed).
 * - `ambiguous`: the call may have had an effect (time-out, reset, half a body, answer too large).
 *
 * `timedOut`: the call exceeded its deadline.
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

/** Endpoint with one HTTP call per batch, without hidden repeats. Never throws. */
export interface BatchEndpoint {
  call(request: BatchRequest): Promise<BatchAnswer>;
  /** Requests the status. The request has no effect, so it may be repeated as needed. */
  askStatus(request: StatusRequest): Promise<BatchAnswer>;
}
