import type { BatchAnswer, BatchEndpoint, BatchRequest, CallableType, CallableTypes } from '../ports/batch-endpoint.ts';
import { retryAfterMs } from '../../../shared/http-client/retry-after.ts';
import { createLiveTargets, type TargetSpec } from './live-targets.ts';

export interface HttpBatchEndpoint extends BatchEndpoint {
  /** These, as they are now. Calls under way end as they began. */
  follow(types: CallableTypes): void;
  close(): Promise<void>;
}

/** Batch endpoints over HTTP, each with connections of its own, so that a slow one holds up no other. */
export function createBatchEndpoint({ types }: { types: CallableTypes }): HttpBatchEndpoint {
  const targets = createLiveTargets();
  const follow = (next: CallableTypes) => {
    targets.follow(new Map(Array.from(next, ([name, type]) => [name, specOf(type)])));
  };
  follow(types);

  async function call({ actionType, idempotencyKey, attempt, body }: BatchRequest): Promise<BatchAnswer> {
    const headers = ['idempotency-key', idempotencyKey, 'muster-attempt', String(attempt)];
    const outcome = await targets.post(actionType, headers, body);
    if (!outcome) return { kind: 'not-applied', cause: `action type ${actionType} is not configured` };
    if (outcome.kind !== 'answered') return outcome;
    const { status, retryAfter, contentEncoding, body: answer } = outcome;
    const waitMs = retryAfter === null ? null : retryAfterMs(retryAfter, new Date());
    return { kind: 'answered', status, retryAfterMs: waitMs, contentEncoding, body: answer };
  }

  return { call, follow, close: () => targets.close() };
}

function specOf({ config, authorization }: CallableType): TargetSpec {
  const { url, timeoutMs, maxAnswerBytes } = config;
  return { url, connections: config.concurrency, timeoutMs, maxAnswerBytes, authorization };
}
