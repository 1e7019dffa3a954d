import type {
  BatchAnswer,
  BatchEndpoint,
  BatchRequest,
  CallableType,
  CallableTypes,
  StatusRequest,
} from '../batch-endpoint.port.ts';
import { traceHeaders } from '../../../../shared/domain/tracing/trace-context.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Counter } from '../../../../shared/ports/meter.ts';
import type { HttpOutcome } from '../../../../shared/http-client/http-dispatch.ts';
import type { Egress } from '../../../../shared/http-client/guarded-origin.ts';
import { retryAfterMs } from '../../../../shared/http-client/retry-after.ts';
import { withLent } from '../calls-at-once.ts';
import { createLiveTargets, type TargetSpec } from './live-targets.ts';

/**
 * Maximum number of connections for status requests, by action type. Status requests are rare, and must leave room for
 * calls.
 */
const maxStatusConnections = 8;

export interface HttpBatchEndpoint extends BatchEndpoint {
  /** Applies the current action types. Calls in flight end on their old connections. */
  follow(types: CallableTypes): void;
  close(): Promise<void>;
}

/**
 * Creates the batch endpoints over HTTP. Each endpoint has connections of its own, so that a slow one delays no other.
 */
export function createBatchEndpoint({
  types,
  clock,
  egress,
  sentAgain,
}: {
  types: CallableTypes;
  clock: Clock;
  egress: Egress;
  /** Counts calls that were sent a second time, because their connection was lost. */
  sentAgain: Counter<'action' | 'request'>;
}): HttpBatchEndpoint {
  const targetsOf = (request: 'call' | 'status') =>
    createLiveTargets({ clock, egress, onSentAgain: (action) => sentAgain.of({ action, request }).add() });
  const targets = targetsOf('call');
  const statusTargets = targetsOf('status');
  const follow = (next: CallableTypes) => {
    targets.follow(new Map(Array.from(next, ([name, type]) => [name, specOf(type)])));
    statusTargets.follow(new Map(Array.from(next).flatMap(([name, type]) => statusSpecsOf(name, type))));
  };
  follow(types);

  function call(request: BatchRequest): Promise<BatchAnswer> {
    const { actionType, idempotencyKey, mode, attempt, traceparent, notAfterMs, body } = request;
    // If this process was suspended, another worker may have sent the same call meanwhile. A late call must not be
    // sent.
    if (clock.monotonicMs() > notAfterMs) return notApplied('came too late to be sent');
    const headers = ['idempotency-key', idempotencyKey, 'muster-attempt', String(attempt)];
    if (traceparent !== undefined) headers.push(traceHeaders.parent, traceparent);
    const sent = targets.post(actionType, { mode, headers, body, messageId: idempotencyKey });
    return sent ? answerOf(sent) : notApplied(`action type ${actionType} is not configured, or its secret is missing`);
  }

  function askStatus({ actionType, mode, traceparent, body }: StatusRequest): Promise<BatchAnswer> {
    const headers = traceparent === undefined ? [] : [traceHeaders.parent, traceparent];
    // A status request has no effect, so it needs no idempotency key.
    const sent = statusTargets.post(actionType, { mode, headers, body, messageId: undefined });
    return sent ? answerOf(sent) : notApplied(`action type ${actionType} has no status endpoint`);
  }

  return {
    call,
    askStatus,
    follow,
    close: async () => {
      await Promise.all([targets.close(), statusTargets.close()]);
    },
  };
}

async function answerOf(sent: Promise<HttpOutcome>): Promise<BatchAnswer> {
  const outcome = await sent;
  if (outcome.kind !== 'answered') return outcome;
  const { status, retryAfter, contentEncoding, body: answer } = outcome;
  const waitMs = retryAfter === null ? null : retryAfterMs(retryAfter, new Date());
  return { kind: 'answered', status, retryAfterMs: waitMs, contentEncoding, body: answer };
}

function notApplied(cause: string): Promise<BatchAnswer> {
  return Promise.resolve({ kind: 'not-applied', cause });
}

function specOf({ config, authorization, signing }: CallableType): TargetSpec {
  const { url, timeoutMs, maxAnswerBytes, concurrency } = config;
  const isRepeatable = config.class === 'A' || config.class === 'B';
  const connections = withLent(concurrency);
  return { url, connections, timeoutMs, maxAnswerBytes, authorization, signing, isRepeatable };
}

/** Returns the target of status requests; an empty list if the action type has no status URL. */
function statusSpecsOf(name: string, type: CallableType): [string, TargetSpec][] {
  const { statusUrl, concurrency } = type.config;
  if (statusUrl === undefined) return [];
  const connections = Math.min(concurrency, maxStatusConnections);
  return [[name, { ...specOf(type), url: statusUrl, connections, isRepeatable: true }]];
}
