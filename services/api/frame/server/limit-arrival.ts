import type { FastifyRequest } from 'fastify';
import { answerClientError } from './answer-client-error.ts';

/** From its head to its last byte, a body may take so long; it is held in memory meanwhile. */
const arrivalTimeoutMs = 30_000;
/** A file that is read as it comes may take longer. */
export const longestArrivalMs = 900_000;

const readAsItComes = /^(text\/csv|application\/x-ndjson)\b/i;

/**
 * Cuts a request whose body does not arrive in time. Node knows one limit for all of them, which has to be the longest.
 */
export function limitArrival({ raw, headers }: FastifyRequest): void {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!hasBody || raw.complete || readAsItComes.test(headers['content-type'] ?? '')) return;
  const timer = setTimeout(() => {
    const error = Object.assign(new Error('the request took too long to arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (!raw.complete && raw.socket.writable) answerClientError(error, raw.socket);
  }, arrivalTimeoutMs);
  timer.unref();
  const clear = () => clearTimeout(timer);
  raw.once('end', clear);
  raw.once('close', clear);
}
