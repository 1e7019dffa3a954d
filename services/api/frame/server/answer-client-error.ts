import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { HttpProblem, problemBody } from '../http-problem.ts';

/**
 * Sends problems for errors of connections that have no complete request, such as a timeout or headers of more than 16
 * KiB.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) socket.write(rawAnswer(problemOf(error.code)));
  socket.destroy();
}

function problemOf(code: string | undefined): HttpProblem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpProblem({ status: 408, code: 'request-timeout', detail: 'the request took too long to arrive' });
    case 'HPE_HEADER_OVERFLOW':
      return new HttpProblem({ status: 431, code: 'headers-too-large', detail: 'the headers are larger than 16 KiB' });
    default:
      return new HttpProblem({ status: 400, code: 'malformed-request', detail: 'this is not an HTTP request' });
  }
}

function rawAnswer(problem: HttpProblem): string {
  const requestId = uuidv7();
  const body = problemBody(problem, requestId);
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${body.status} ${body.title}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
    '',
    text,
  ].join('\r\n');
}
