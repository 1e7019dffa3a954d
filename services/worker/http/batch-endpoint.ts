import type { ActionTypeConfig, EngineConfig } from '../../../shared/contracts/engine-config.ts';
import type { BatchAnswer, BatchEndpoint, BatchRequest, StatusRequest } from '../ports/batch-endpoint.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { authorizationOf } from '../../../shared/runtime/engine-config-file.ts';
import { createHttpOrigin, type HttpOrigin } from '../../../shared/http-client/http-dispatch.ts';
import { retryAfterMs } from '../../../shared/http-client/retry-after.ts';

export interface BatchEndpointDeps {
  config: EngineConfig;
  environment: NodeJS.ProcessEnv;
  clock: Clock;
}

/** Questions in flight at once for one action type: they are rare, and the endpoint has its calls to serve. */
const maxStatusConnections = 8;

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
  clock,
}: BatchEndpointDeps): BatchEndpoint & { close(): Promise<void> } {
  const targets = new Map<string, Target>();
  const statusTargets = new Map<string, Target>();
  for (const [name, type] of Object.entries(config.actionTypes)) {
    const authorization = authorizationOf(type, environment);
    targets.set(name, targetOf(type.url, type.concurrency, type, authorization));
    if (type.statusUrl !== undefined) {
      const connections = Math.min(type.concurrency, maxStatusConnections);
      statusTargets.set(name, targetOf(type.statusUrl, connections, type, authorization));
    }
  }

  function call({ actionType, idempotencyKey, attempt, notAfterMs, body }: BatchRequest): Promise<BatchAnswer> {
    const target = targets.get(actionType);
    if (!target) return notApplied(`action type ${actionType} is not configured`);
    // Whoever was stopped in between, and is awake again, must not send what another may have sent meanwhile.
    if (clock.monotonicMs() > notAfterMs) return notApplied('came too late to be sent');
    return send(target, ['idempotency-key', idempotencyKey, 'muster-attempt', String(attempt)], body);
  }

  function askStatus({ actionType, body }: StatusRequest): Promise<BatchAnswer> {
    const target = statusTargets.get(actionType);
    return target ? send(target, [], body) : notApplied(`action type ${actionType} has no status endpoint`);
  }

  return {
    call,
    askStatus,
    close: async () => {
      await Promise.all([...targets.values(), ...statusTargets.values()].map(({ origin }) => origin.close()));
    },
  };
}

function notApplied(cause: string): Promise<BatchAnswer> {
  return Promise.resolve({ kind: 'not-applied', cause });
}

function targetOf(address: string, connections: number, type: ActionTypeConfig, authorization?: string): Target {
  const url = new URL(address);
  const { timeoutMs, maxAnswerBytes } = type;
  return {
    origin: createHttpOrigin({ origin: url.origin, connections, timeoutMs, maxAnswerBytes }),
    path: `${url.pathname}${url.search}`,
    headers: [
      ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
      ...['muster-mode', 'live'],
      ...(authorization === undefined ? [] : ['authorization', authorization]),
    ],
  };
}

async function send({ origin, path, headers }: Target, more: readonly string[], body: Buffer): Promise<BatchAnswer> {
  const outcome = await origin.send({ method: 'POST', path, headers: [...headers, ...more], body });
  if (outcome.kind !== 'answered') return outcome;
  const { status, retryAfter, contentEncoding, body: answer } = outcome;
  const waitMs = retryAfter === null ? null : retryAfterMs(retryAfter, new Date());
  return { kind: 'answered', status, retryAfterMs: waitMs, contentEncoding, body: answer };
}
