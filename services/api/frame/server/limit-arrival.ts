import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterReading } from '../../../../shared/runtime/after-reading.ts';
import { answerClientError } from './answer-client-error.ts';

/** From its head to its last byte, a body may take so long; it is held in memory meanwhile. */
const arrivalTimeoutMs = 30_000;
/** A file that is read as it comes may take longer. */
export const longestArrivalMs = 900_000;

const readAsItComes = /^(text\/csv|application\/x-ndjson)\b/i;

/**
 * Cuts a request whose body does not arrive in time. Node knows one limit for all of them, which has to be the longest.
 * Where the answer was given by the head alone nothing reads the body, so that one is never waited for longer. A body
 * that has arrived in time is in time, also if the process has not read it yet.
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
