import type { EngineConfig } from '../../../shared/contracts/engine-config.ts';
import type { BatchAnswer, BatchEndpoint, BatchRequest } from '../ports/batch-endpoint.ts';
import { authorizationOf } from '../../../shared/runtime/engine-config-file.ts';
import { createHttpOrigin, type HttpOrigin } from '../../../shared/http-client/http-dispatch.ts';
import { retryAfterMs } from '../../../shared/http-client/retry-after.ts';

export interface BatchEndpointDeps {
  config: EngineConfig;
  environment: NodeJS.ProcessEnv;
}

interface Target {
  origin: HttpOrigin;
  path: string;
  /** Headers of every call, names and values in turn. */
  headers: readonly string[];
}

/**
 * The configured batch endpoints over HTTP, each with connections of its own, so that a slow one holds up no other.
 * @throws {ConfigurationError} when a secret that the configuration names is not in the environment
 */
export function createBatchEndpoint({
  config,
  environment,
}: BatchEndpointDeps): BatchEndpoint & { close(): Promise<void> } {
  const targets = new Map<string, Target>();
  for (const [name, type] of Object.entries(config.actionTypes)) {
    const url = new URL(type.url);
    const authorization = authorizationOf(type, environment);
    targets.set(name, {
      origin: createHttpOrigin({
        origin: url.origin,
        connections: type.concurrency,
        timeoutMs: type.timeoutMs,
        maxAnswerBytes: type.maxAnswerBytes,
      }),
      path: `${url.pathname}${url.search}`,
      headers: [
        ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
        ...['muster-mode', 'live'],
        ...(authorization === undefined ? [] : ['authorization', authorization]),
      ],
    });
  }

  async function call({ actionType, idempotencyKey, attempt, body }: BatchRequest): Promise<BatchAnswer> {
    const target = targets.get(actionType);
    if (!target) return { kind: 'not-applied', cause: `action type ${actionType} is not configured` };
    const outcome = await target.origin.send({
      method: 'POST',
      path: target.path,
      headers: [...target.headers, 'idempotency-key', idempotencyKey, 'muster-attempt', String(attempt)],
      body,
    });
    if (outcome.kind !== 'answered') return outcome;
    const { status, retryAfter, contentEncoding, body: answer } = outcome;
    const waitMs = retryAfter === null ? null : retryAfterMs(retryAfter, new Date());
    return { kind: 'answered', status, retryAfterMs: waitMs, contentEncoding, body: answer };
  }

  return {
    call,
    close: async () => {
      await Promise.all([...targets.values()].map(({ origin }) => origin.close()));
    },
  };
}
