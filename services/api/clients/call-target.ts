import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import { defaultEndpointName } from '../../../shared/domain/job/job-ids.ts';
import type { ClientEndpoint } from '../../../shared/ports/clients.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';

/**
 * Returns the URL of a call: its own, or that of its endpoint.
 * @throws {HttpProblem} 422 if neither has one, or both have different servers: credentials of an endpoint with a URL
 *   are only for its own
 */
export function targetOf(
  { url }: { url?: string | undefined },
  endpoint: Pick<ClientEndpoint, 'name' | 'url'>,
  pointer: string,
): string {
  const target = url ?? endpoint.url;
  if (target === null) {
    const detail = `is missing: the endpoint ${quoted(endpoint.name)} has none`;
    throw invalidRequest([{ pointer, code: 'missing', detail }]);
  }
  // Jobs without an endpoint go anywhere that the egress rules allow: the URL of `default` binds none.
  if (endpoint.url === null || endpoint.name === defaultEndpointName || target === endpoint.url) return target;
  const topic = topicOf(endpoint.url);
  if (topic !== undefined) {
    const detail = `is left out: the endpoint ${quoted(endpoint.name)} writes to the topic ${topic}`;
    throw invalidRequest([{ pointer, code: 'other-origin', detail }]);
  }
  const { origin } = new URL(endpoint.url);
  if (new URL(target).origin === origin) return target;
  const detail = `has to be at ${origin}, the server of the endpoint ${quoted(endpoint.name)}, and is ${quoted(target)}`;
  throw invalidRequest([{ pointer, code: 'other-origin', detail }]);
}
