import { z } from 'zod';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { createApiClient, type ApiClient } from './api-client.ts';
import type { ExchangeDeps, Patience } from './exchange.ts';

const apiEnvironment = z.object({
  MUSTER_API_URL: z.string().default('http://127.0.0.1:8080'),
  MUSTER_API_KEY: z.string({
    error: 'the key to the API; whoever runs Muster makes one with `muster api-key create <name>`',
  }),
});

/** The client of the API that the environment names. @param patience lets an API that says 503 be waited for */
export function apiFrom(environment: NodeJS.ProcessEnv, patience?: Patience): ApiClient {
  return createApiClient(exchangeFrom(environment, patience));
}

/** How the API that the environment names is asked. */
export function exchangeFrom(environment: NodeJS.ProcessEnv, patience?: Patience): ExchangeDeps {
  const { MUSTER_API_URL, MUSTER_API_KEY } = readEnvironment(apiEnvironment, environment);
  return { baseUrl: baseUrlOf(MUSTER_API_URL), apiKey: keyOf(MUSTER_API_KEY), fetch, patience };
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

/** Looked at before it is sent: what does not fit a header would be repeated in the error, and in a terminal that people see. */
function keyOf(key: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return key;
  const why =
    key.length > 512
      ? `it is ${key.length} characters long`
      : 'it holds blanks, line breaks or other characters that no key has';
  throw new ConfigurationError(`MUSTER_API_KEY is no key: ${why} (it is not shown here)`);
}
