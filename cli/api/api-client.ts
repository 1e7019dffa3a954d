import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { createMusterClient } from '../../sdk/muster.ts';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { createPatientFetch, type Patience } from './patient-fetch.ts';

export const callerEnvironment = z.object({
  MUSTER_API_URL: z.string().default('http://127.0.0.1:8080').describe('API for commands'),
  MUSTER_API_KEY: z
    .string({
      error: 'the key to the API; whoever runs Muster makes one with `muster first-key <name>`',
    })
    .describe('API key, or a [token](../access.md#programs)'),
});

export interface ApiClientDeps {
  /** Base URL without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  send?: typeof fetch;
  patience?: Patience | undefined;
}

/**
 * Creates a client of the API that the environment names.
 * @param patience makes requests wait while the API answers 503
 */
export function apiFrom(environment: NodeJS.ProcessEnv, patience?: Patience): Client {
  const { MUSTER_API_URL, MUSTER_API_KEY } = readEnvironment(callerEnvironment, environment);
  return createApiClient({ baseUrl: baseUrlOf(MUSTER_API_URL), apiKey: keyOf(MUSTER_API_KEY), patience });
}

/** Creates a client that accepts JSON by default. Each POST gets an idempotency key, so repeats have no effect. */
export function createApiClient({ baseUrl, apiKey, send = fetch, patience }: ApiClientDeps): Client {
  const fetchPatiently = createPatientFetch({ baseUrl, send, patience });
  const client = createMusterClient({ url: baseUrl, apiKey, retries: 0, fetch: fetchPatiently });
  client.interceptors.request.use((request) => {
    if (!request.headers.has('accept')) request.headers.set('accept', 'application/json');
    if (isKnownByKey(request)) request.headers.set('idempotency-key', `cli-${randomUUID()}`);
    return request;
  });
  return client;
}

/**
 * Returns true if the generated idempotency key makes a repeat of the request safe. Requests that create jobs contain
 * idempotency keys that the caller chooses.
 */
function isKnownByKey({ method, url }: Request): boolean {
  return method === 'POST' && !/^\/v1\/jobs(\/bulk)?$/.test(new URL(url).pathname);
}

function baseUrlOf(given: string): string {
  if (!/^https?:\/\//i.test(given)) {
    const meant = `http://${given.replace(/^[a-z]*:?\/\//i, '')}`;
    throw new ConfigurationError(`MUSTER_API_URL has to begin with http:// or https://: did you mean ${meant}?`);
  }
  const url = URL.parse(given);
  if (!url) throw new ConfigurationError(`MUSTER_API_URL=${JSON.stringify(given)} is no URL`);
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError('MUSTER_API_URL must not hold a user and a password: the API takes a key');
  }
  return given.replace(/\/+$/, '');
}

/**
 * Returns the maximum length of a credential in characters. OpenID tokens (JWTs begin with `eyJ`) may replace an API
 * key, and are longer.
 */
const maxCredentialLength = (key: string) => (key.startsWith('eyJ') ? 8192 : 512);

/** Checks the key before a request, as the error for an invalid header would print the key in the terminal. */
function keyOf(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= maxCredentialLength(key)) return key;
  const why =
    key.length > maxCredentialLength(key)
      ? `it is ${key.length} characters long`
      : 'it holds blanks, line breaks or other characters that no key has';
  throw new ConfigurationError(`MUSTER_API_KEY is no key: ${why} (it is not shown here)`);
}
