import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { ClientEndpoint } from '../../../shared/ports/clients.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';

/**
 * Returns the URL of a call: its own, or that of its endpoint.
 * @throws {HttpProblem} 422 if both have different servers: an endpoint's credentials are only for its own
 */
export function targetOf(
  { url }: { url?: string | undefined },
  endpoint: Pick<ClientEndpoint, 'name' | 'url'> | undefined,
  pointer: string,
): string {
  if (endpoint === undefined || url === undefined) return url ?? endpoint?.url ?? '';
  if (url === endpoint.url) return url;
  const topic = topicOf(endpoint.url);
  if (topic !== undefined) {
    const detail = `is left out: the endpoint ${quoted(endpoint.name)} writes to the topic ${topic}`;
    throw invalidRequest([{ pointer, code: 'other-origin', detail }]);
  }
  const { origin } = new URL(endpoint.url);
  if (new URL(url).origin === origin) return url;
  const detail = `has to be at ${origin}, the server of the endpoint ${quoted(endpoint.name)}, and is ${quoted(url)}`;
  throw invalidRequest([{ pointer, code: 'other-origin', detail }]);
}
