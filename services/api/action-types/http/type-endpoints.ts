import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { signatureHeaders, webhookKeyOf } from '../../../../shared/domain/endpoint/standard-webhooks.ts';
import { createGuardedOrigin, type Egress } from '../../../../shared/http-client/guarded-origin.ts';
import type { HttpOrigin, HttpOutcome } from '../../../../shared/http-client/http-dispatch.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { RegisteredActionType } from '../../../../shared/ports/registry.ts';
import { ConfigurationError } from '../../../../shared/runtime/configuration/configuration-error.ts';
import { authorizationOf } from '../../../../shared/runtime/configuration/engine-config-file.ts';
import { SecretBoxError, type SecretBox } from '../../../../shared/runtime/configuration/secret-box.ts';
import { openSecrets, type OpenedSecrets } from '../../../../shared/runtime/installation/action-type-secrets.ts';

const maxAnswerBytes = 1024 * 1024;
/**
 * Maximum number of connections to each origin. The time that a request waits for a free connection counts towards its
 * timeout.
 */
const connections = 4;
const maxOrigins = 50;

export interface TypeEndpointsDeps {
  egress: Egress;
  secretBox: SecretBox;
  environment: NodeJS.ProcessEnv;
  clock: Pick<Clock, 'now'>;
  /** Called for each request that is sent again after its connection was lost. */
  onSentAgain?: (() => void) | undefined;
}

export interface TypeRequest {
  type: RegisteredActionType;
  url: URL;
  method: 'GET' | 'POST';
  /** Path and query; by default those of the registered URL. */
  path?: string;
  /** Body of the request, as JSON. */
  body?: Buffer;
}

/**
 * Requests that the API itself sends to endpoints of action types, such as for previews. The requests change nothing at
 * the endpoints.
 */
export interface TypeEndpoints {
  /** Sends one request, bounded in time and size. Does not follow redirects, and never rejects. */
  send(request: TypeRequest): Promise<HttpOutcome>;
  close(): Promise<void>;
}

/**
 * Creates the requests. Connections obey the egress rules, and requests have the credentials of the action type's
 * calls.
 * @param timeoutMs milliseconds until the whole answer must have arrived
 */
export function createTypeEndpoints(
  { egress, secretBox, environment, clock, onSentAgain }: TypeEndpointsDeps,
  timeoutMs: number,
): TypeEndpoints {
  const terms = { egress, connections, timeoutMs, maxAnswerBytes, onSentAgain };
  const origins = new LRUCache<string, HttpOrigin>({ max: maxOrigins, dispose: (origin) => void origin.close() });

  function originOf({ origin }: URL, name: string): HttpOrigin {
    // Each action type resolves host names separately, as the worker does for its calls.
    const key = `${name} ${origin}`;
    const opened = origins.get(key) ?? createGuardedOrigin({ ...terms, caller: name, origin });
    origins.set(key, opened);
    return opened;
  }

  function secretsOf(type: RegisteredActionType): OpenedSecrets | { cause: string } {
    try {
      const { authorization = authorizationOf(type.config, environment), signing } = openSecrets(type, secretBox);
      return { ...(authorization !== undefined && { authorization }), ...(signing !== undefined && { signing }) };
    } catch (error) {
      if (error instanceof ConfigurationError) return { cause: `here ${error.message}` };
      if (error instanceof SecretBoxError) return { cause: 'a secret of the action type does not open here' };
      throw error;
    }
  }

  return {
    send: async ({ type, url, method, path = `${url.pathname}${url.search}`, body }) => {
      const secrets = secretsOf(type);
      if ('cause' in secrets) return { kind: 'not-applied', cause: secrets.cause };
      const { authorization, signing } = secrets;
      const key = signing === undefined ? undefined : webhookKeyOf(signing);
      const headers = [
        ...['accept', 'application/json', 'accept-encoding', 'identity'],
        ...(body === undefined ? [] : ['content-type', 'application/json']),
        ...(authorization === undefined ? [] : ['authorization', authorization]),
        ...(key ? signatureHeaders(key, randomUUID(), clock.now(), body ?? Buffer.alloc(0)) : []),
      ];
      return await originOf(url, type.name).send({ method, path, headers, ...(body && { body }) });
    },
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

/** Returns the parsed body. Returns undefined, which no shape accepts, if the body is not JSON. */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
