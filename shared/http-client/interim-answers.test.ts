import { once } from 'node:events';
import { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { startRawServer, type RawServer } from '../../test/support/raw-server.ts';
import { createHttpOrigin, type HttpOrigin } from './http-dispatch.ts';
import { withContinue } from './interim-answers.ts';

const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const interim = (status: string) => `HTTP/1.1 ${status}\r\n\r\n`;

let server: RawServer | undefined;
let origin: HttpOrigin | undefined;

afterEach(async () => {
  await origin?.close();
  server?.close();
  [origin, server] = [undefined, undefined];
});

async function listen(answer: (socket: Socket, received: Buffer) => void): Promise<RawServer> {
  return (server = await startRawServer(answer));
}

function originAt(url: string, timeoutMs = 20_000): HttpOrigin {
  origin = createHttpOrigin({ origin: url, connections: 1, timeoutMs, maxAnswerBytes: 1000 });
  return origin;
}

const call = { method: 'POST', path: '/', headers: [], body: Buffer.from('{}') };
const answered = { kind: 'answered', status: 200, retryAfter: null, body: Buffer.from('ok') };

describe('an answer after interim answers', () => {
  it.each<[string, string[]]>([
    ['100', [interim('100 Continue') + final]],
    ['100 in a separate packet', [interim('100 Continue'), final]],
    ['100 split within its status', ['HTTP/1.1 1', '00 Continue\r\n\r', `\n${final}`]],
    ['100 with headers', [`HTTP/1.1 100 Continue\r\nDate: now\r\nContent-Length: 0\r\n\r\n${final}`]],
    ['100 without a reason', [interim('100 ') + final]],
    ['100 interim answers of 100', [interim('100 Continue').repeat(100) + final]],
    ['102 with Retry-After', [`HTTP/1.1 102 Processing\r\nRetry-After: 9\r\n\r\n${final}`]],
    ['103 with links', [`HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${final}`]],
    [
      '100, 102, 103 and 100',
      ['100 Continue', '102 Processing', '103 Early Hints', '100 Continue'].map(interim).concat(final),
    ],
  ])('is read after %s, and its connection is reused', async (_case, parts) => {
    const receiver = await listen((socket) => {
      const write = (index: number) => {
        const part = parts[index];
        if (part !== undefined) socket.write(part, () => setImmediate(write, index + 1));
      };
      write(0);
    });
    const calls = originAt(receiver.url);
    for (let count = 0; count < 3; count++) expect(await calls.send(call)).toMatchObject(answered);
    expect(receiver.connections()).toBe(1);
  });

  it.each<[string, string]>([
    ['100 with Connection: close', 'HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n'],
    ['100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
    ['103 with Connection: close', 'HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n'],
  ])('is read after %s, and its connection is not reused', async (_case, interimAnswer) => {
    const ended: Promise<unknown>[] = [];
    const receiver = await listen((socket) => {
      ended.push(once(socket, 'end'));
      socket.write(interimAnswer, () => setImmediate(() => socket.write(final)));
    });
    const calls = originAt(receiver.url);
    for (let count = 0; count < 2; count++) expect(await calls.send(call)).toMatchObject(answered);
    await Promise.all(ended);
    expect(receiver.connections()).toBe(2);
  });

  it('is read without the bytes that follow if the answer ends its connection', async () => {
    const closing = final.replace('\r\n', '\r\nConnection: close\r\n');
    const receiver = await listen((socket) => socket.end(closing + final.replace('ok', 'no')));
    const calls = originAt(receiver.url);
    for (let count = 0; count < 2; count++) expect(await calls.send(call)).toMatchObject(answered);
    expect(receiver.connections()).toBe(2);
  });

  it('is read if 100 arrives while the request is being written', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, ' ');
    let bytes = 0;
    const { url } = await listen((socket, received) => {
      if (bytes === 0) socket.write(interim('100 Continue'));
      bytes += received.length;
      if (bytes > body.length) socket.write(final);
    });
    expect(await originAt(url).send({ ...call, body })).toMatchObject(answered);
  });

  it('is ambiguous if only 100 arrives before the connection ends', async () => {
    const { url } = await listen((socket) => socket.end(interim('100 Continue')));
    const cause = 'connection closed before the answer was whole';
    expect(await originAt(url).send(call)).toEqual({ kind: 'ambiguous', cause });
  });

  it('times out at the deadline of the call, although interim answers keep coming', async () => {
    const { url } = await listen((socket) => {
      const repeat = () => {
        if (!socket.destroyed) socket.write(interim('100 Continue'), () => setImmediate(repeat));
      };
      repeat();
    });
    expect(await originAt(url, 300).send(call)).toMatchObject({ kind: 'ambiguous', timedOut: true });
  });
});

describe('undici without our connector', () => {
  // If this test fails, undici handles 100 itself, and withContinue can be removed.
  it('destroys the connection at 100', async () => {
    const { url } = await listen((socket) => socket.write(interim('100 Continue') + final));
    const client = new Client(url, { connect: buildConnector({ allowH2: false }) });
    try {
      await expect(client.request({ method: 'GET', path: '/' })).rejects.toThrow('bad response');
    } finally {
      await client.destroy();
    }
  });
});

describe('a wrapped connector', () => {
  const options = { hostname: 'a.test', protocol: 'http:', port: '80' };
  const parserOf = (parser: unknown) => Object.assign(new Socket(), { [Symbol('parser')]: parser });

  it.each<[string, Socket]>([
    ['no parser', new Socket()],
    ['a removed parser', parserOf(null)],
    ['a parser of another shape', parserOf({ onHeaders: () => 0 })],
    ['a frozen parser', parserOf(Object.freeze({ onHeadersComplete: () => 0 }))],
  ])('returns a socket with %s unchanged', (_case, socket) => {
    const results: unknown[] = [];
    const connect = withContinue((_options, callback) => callback(null, socket));
    connect(options, (...result) => results.push(result));
    expect(results).toEqual([[null, socket]]);
  });

  it('returns the error of a failed connection', () => {
    const results: unknown[] = [];
    const error = new Error('refused');
    const connect = withContinue((_options, callback) => callback(error, null));
    connect(options, (...result) => results.push(result));
    expect(results).toEqual([[error, null]]);
  });
});
