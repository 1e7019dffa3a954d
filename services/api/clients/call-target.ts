import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import { defaultEndpointName } from '../../../shared/domain/job/job-ids.ts';
import type { ClientEndpoint } from '../../../shared/ports/clients.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';

/**
 * Returns the URL of a job's call: the URL of the job, or the URL of its endpoint if the job has none.
 * @throws {HttpProblem} 422 if neither has a URL, or if both have one and their servers differ: credentials of an
 * endpoint are only for its own server
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
  // Jobs of the endpoint `default` may call any address that the egress rules allow, even if `default` has a URL.
  if (endpoint.url === null || endpoint.name === defaultEndpointName || target === endpoint.url) return target;
  const topic = topicOf(endpoint.url);
  if (topic !== undefined) {
    const detail = `has to be omitted: the endpoint ${quoted(endpoint.name)} writes to the topic ${topic}`;
    throw invalidRequest([{ pointer, code: 'other-origin', detail }]);
  }
  const { origin } = new URL(endpoint.url);
  if (new URL(target).origin === origin) return target;
  const detail = `has to be at ${origin}, the server of the endpoint ${quoted(endpoint.name)}, and is ${quoted(target)}`;
  throw invalidRequest([{ pointer, code: 'other-origin', detail }]);
}
