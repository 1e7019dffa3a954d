import { z } from 'zod';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { createApiClient, type ApiClient } from './api-client.ts';

const apiEnvironment = z.object({
  MUSTER_API_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8080')
    .transform((url) => url.replace(/\/+$/, '')),
  MUSTER_API_KEY: z.string({ error: 'the key to the API; `muster api-key create` makes one' }),
});

/** The client of the API that the environment names. */
export function apiFrom(environment: NodeJS.ProcessEnv): ApiClient {
  const { MUSTER_API_URL, MUSTER_API_KEY } = readEnvironment(apiEnvironment, environment);
  return createApiClient({ baseUrl: MUSTER_API_URL, apiKey: MUSTER_API_KEY, fetch });
}
