import rateLimit from '@fastify/rate-limit';
import { HttpProblem } from '../http-problem.ts';
import type { HttpServer } from './create-http-server.ts';

/**
 * Maximum number of requests with one key to one process in a minute: far more than normal use, and far less than would
 * affect other callers.
 */
const requestsPerMinute = 6000;

export async function limitRequests(server: HttpServer): Promise<void> {
  await server.register(rateLimit, {
    max: ({ apiKey }) => Math.min(requestsPerMinute, apiKey?.bounds.requestsPerMinute ?? requestsPerMinute),
    timeWindow: 60_000,
    keyGenerator: ({ apiKey, ip }) => apiKey?.key ?? ip,
    errorResponseBuilder: ({ apiKey }, { max }) => {
      const own = max === apiKey?.bounds.requestsPerMinute ? ' of this key (bounds.requestsPerMinute)' : '';
      const detail = `more than ${max} requests in a minute${own}; retry-after is the time to wait`;
      return new HttpProblem({ status: 429, code: 'too-many-requests', detail });
    },
  });
}
