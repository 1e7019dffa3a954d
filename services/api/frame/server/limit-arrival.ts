import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerClientError } from './answer-client-error.ts';

/** From its head to its last byte, a body may take so long; it is held in memory meanwhile. */
const arrivalTimeoutMs = 30_000;
/** A file that is read as it comes may take longer. */
export const longestArrivalMs = 900_000;

const readAsItComes = /^(text\/csv|application\/x-ndjson)\b/i;

/**
 * Cuts a request whose body does not arrive in time. Node knows one limit for all of them, which has to be the longest.
 * Where the answer was given by the head alone nothing reads the body, so that one is never waited for longer.
 */
export function limitArrival({ raw, headers }: FastifyRequest, reply: Pick<FastifyReply, 'raw'>): void {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!hasBody || raw.complete) return;
  const mayTakeLonger = readAsItComes.test(headers['content-type'] ?? '');
  const timer = setTimeout(() => {
    if (raw.complete) return;
    if (reply.raw.writableEnded) raw.destroy();
    else if (!mayTakeLonger && raw.socket.writable) answerClientError(lateArrival(), raw.socket);
  }, arrivalTimeoutMs);
  timer.unref();
  const clear = () => clearTimeout(timer);
  raw.once('end', clear);
  raw.once('close', clear);
}

function lateArrival(): Error {
  return Object.assign(new Error('the request took too long to arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
