import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterReading } from '../../../../shared/runtime/after-reading.ts';
import { answerClientError } from './answer-client-error.ts';

/** Milliseconds between the headers of a request and the end of a body that is held in memory. */
const arrivalTimeoutMs = 30_000;
/** Milliseconds between the headers of a request and the end of a file that is read as a stream. */
export const longestArrivalMs = 900_000;

const readAsItComes = /^(text\/csv|application\/x-ndjson)\b/i;

/**
 * Ends a request whose body does not arrive in time. The limit of Node.js is the same for all requests, so it has to be
 * the longest. If the response was sent before the body was read, the connection is closed at the shorter limit. A body
 * that has arrived in time is accepted even if the process has not read it yet.
 */
export function limitArrival(
  { raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>,
  reply: Pick<FastifyReply, 'raw'>,
  timeoutMs = arrivalTimeoutMs,
): void {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!hasBody || raw.complete) return;
  const mayTakeLonger = readAsItComes.test(headers['content-type'] ?? '');
  const { socket } = raw;
  const cut = () => {
    if (raw.complete || raw.destroyed) return;
    if (reply.raw.writableEnded) raw.destroy();
    else if (!mayTakeLonger && socket.writable) answerClientError(lateArrival(), socket);
  };
  const timer = setTimeout(() => afterReading(() => socket.bytesRead, cut), timeoutMs);
  timer.unref();
  const clear = () => clearTimeout(timer);
  raw.once('end', clear);
  raw.once('close', clear);
}

function lateArrival(): Error {
  return Object.assign(new Error('the request took too long to arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
