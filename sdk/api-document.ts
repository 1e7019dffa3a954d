import { createApi } from '../services/api/api.ts';
import { createApiDeps } from '../test/support/api-deps.ts';

/** The OpenAPI document of the API as it is here. */
export async function apiDocument(): Promise<unknown> {
  const api = await createApi(await createApiDeps());
  try {
    return (await api.server.inject('/openapi.json')).json();
  } finally {
    await api.close();
  }
}
