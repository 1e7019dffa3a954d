import { createServer as createHttp2Server } from 'node:http2';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { portOf, startRawServer } from '../../test/support/raw-server.ts';
import { causeOf } from './http-cause.ts';
import { createHttpOrigin, type HttpOutcome } from './http-dispatch.ts';

function errorOf(code: string | undefined): Error {
  const error = new Error('connect to https://user:secret@rewards.example:8443/v1?token=abc');
  return code === undefined ? error : Object.assign(error, { code });
}

describe('the cause of a call without an answer', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection reset'],
    ['ENOTFOUND', 'host name not found'],
    ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
    ['CERT_HAS_EXPIRED', 'TLS certificate has expired'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
    ['EWHATEVER', 'call failed (EWHATEVER)'],
    [undefined, 'call failed'],
  ])('for the code %s is "%s", without the address', (code, cause) => {
    expect(causeOf(errorOf(code))).toBe(cause);
  });
});

describe('the cause of a call to a server that violates HTTP', () => {
  const stops: (() => void)[] = [];

  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  async function callTo(url: string): Promise<HttpOutcome> {
    const origin = createHttpOrigin({ origin: url, connections: 1, timeoutMs: 20_000, maxAnswerBytes: 1000 });
    const headers = ['authorization', 'Bearer secret'];
    try {
      return await origin.send({ method: 'POST', path: '/', headers, body: Buffer.from('{}') });
    } finally {
      await origin.close();
    }
  }

  async function callToAnswer(answer: (socket: Socket) => void): Promise<HttpOutcome> {
    const server = await startRawServer(answer);
    stops.push(() => server.close());
    return await callTo(server.url);
  }

  const head = 'HTTP/1.1 200 OK\r\n';
  const notHttp = 'answer that is not HTTP';
  const breaks = (fault: string) => `answer that breaks HTTP/1.1 (${fault})`;
  const notWhole = 'connection closed before the answer was whole';

  it.each<[string, string, string]>([
    ['an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n', 'answer that is not HTTP/1.1 but SSH'],
    [
      'a TLS alert',
      '\x15\x03\x01\0\x02\x02F',
      'answer that is not HTTP/1.1 but TLS, so the URL may have to begin with https://',
    ],
    ['an SMTP greeting', '220 mail.example ESMTP\r\n', notHttp],
    ['a page without an HTTP head', '<html>it works</html>', notHttp],
    ['JSON without an HTTP head', '{"token":"secret"}', notHttp],
    ['another HTTP version', 'HTTP/3.0 200 OK\r\n\r\n', breaks('Invalid HTTP version')],
    ['a status that is not a number', 'HTTP/1.1 abc OK\r\n\r\n', breaks('Invalid status code')],
    ['a header without a colon', `${head}X-Token secret\r\n\r\n`, breaks('Invalid header token')],
    ['a blank before a colon', `${head}Content-Length : 2\r\n\r\nok`, breaks('Invalid header field char')],
    [
      'a header without a colon after Content-Length',
      `${head}Content-Length: 2\r\nX-Token secret\r\n\r\nok`,
      breaks('headers'),
    ],
    ['two Content-Length headers', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`, breaks('headers')],
    [
      'Content-Length with Transfer-Encoding',
      `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
      breaks('headers'),
    ],
    ['U+0000 in a header', `${head}A: \0\r\n\r\n`, breaks('Invalid header value char')],
    ['line ends without CR', 'HTTP/1.1 200 OK\nA: b\n\n', breaks('Missing expected CR after response line')],
    ['a chunk without size', `${head}Transfer-Encoding: chunked\r\n\r\nzz`, breaks('Invalid character in chunk size')],
    ['headers of 40 KB', `${head}A: ${'x'.repeat(40_000)}\r\n\r\n`, 'answer with headers that are too long'],
    [
      'a switch to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      breaks('101 without a request for it'),
    ],
  ])('names %s', async (_case, answer, cause) => {
    const outcome = await callToAnswer((socket) => socket.write(answer));
    expect(outcome).toEqual({ kind: 'ambiguous', cause });
  });

  it.each<[string, string, string]>([
    ['nothing', '', notWhole],
    ['half an HTTP head', `${head}Conte`, notWhole],
    ['half a body', `${head}Content-Length: 20\r\n\r\nok`, notWhole],
    ['half a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nok`, notWhole],
    ['half a last chunk', `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok`, notWhole],
    [
      'half a last body',
      `${head}Connection: close\r\nContent-Length: 20\r\n\r\nok`,
      'answer shorter than its Content-Length',
    ],
  ])('names a connection that ends after %s', async (_case, answer, cause) => {
    const outcome = await callToAnswer((socket) => socket.end(answer));
    expect(outcome).toEqual({ kind: 'ambiguous', cause });
  });

  it('names an HTTP/2 server without TLS', async () => {
    const server = createHttp2Server();
    stops.push(() => server.close());
    const cause = 'answer that is not HTTP/1.1 but HTTP/2';
    expect(await callTo(`http://127.0.0.1:${await portOf(server)}`)).toEqual({ kind: 'ambiguous', cause });
  });

  it('names a server without TLS at an https URL', async () => {
    const server = await startRawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    stops.push(() => server.close());
    const outcome = await callTo(server.url.replace('http:', 'https:'));
    const cause: unknown = expect.stringMatching(/^TLS failed/);
    expect(outcome).toMatchObject({ kind: 'not-applied', cause });
  });
});
