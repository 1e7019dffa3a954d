import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startRawServer, type RawServer } from '../../test/support/raw-server.ts';
import { createHttpOrigin, type HttpCall, type HttpOrigin } from './http-dispatch.ts';

const answer = 'HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok';
const call: HttpCall = { method: 'POST', path: '/a', headers: ['idempotency-key', 'k-1'], body: Buffer.from('{}') };
const answered = { kind: 'answered', status: 200, body: Buffer.from('ok') };
const reset = { kind: 'ambiguous', cause: 'connection reset' };
const timeoutMs = 20_000;

/** A server that answers the first request of its first connection, and ends this connection at the second request. */
interface EndingServer {
  server: RawServer;
  /** All bytes of each request, in the order of arrival. */
  requests: () => string[];
}

interface Behaviour {
  endKept?: (socket: Socket) => void;
  /** Answers on connections after the first one. */
  answerFresh?: (socket: Socket) => void;
  bodyBytes?: number;
}

describe('a call on a kept connection that ends', () => {
  const stops: (() => unknown)[] = [];
  let sentAgain = 0;

  afterEach(async () => {
    vi.restoreAllMocks();
    sentAgain = 0;
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  async function startEndingServer({ endKept, answerFresh, bodyBytes = 2 }: Behaviour): Promise<EndingServer> {
    const received = new Map<Socket, Buffer[]>();
    const server = await startRawServer((socket, chunk) => {
      if (!received.has(socket)) received.set(socket, []);
      const chunks = received.get(socket) ?? [];
      chunks.push(chunk);
      const isFirst = received.keys().next().value === socket;
      const isKept = isFirst && chunks.length > 1;
      if (isKept) (endKept ?? resetConnection)(socket);
      else if (isFirst) socket.write(answer);
      else if (chunks.reduce((sum, { length }) => sum + length, 0) >= bodyBytes)
        (answerFresh ?? ((fresh) => fresh.write(answer)))(socket);
    });
    stops.push(() => server.close());
    const requests = () =>
      [...received.values()].flatMap(([first = Buffer.of(), ...others]) => [first, ...others].map(String));
    return { server, requests };
  }

  function originAt(server: RawServer, isRepeatable = true): HttpOrigin {
    const origin = createHttpOrigin({
      origin: server.url,
      connections: 1,
      timeoutMs,
      maxAnswerBytes: 1000,
      isRepeatable,
      onSentAgain: () => sentAgain++,
    });
    stops.push(() => origin.close());
    return origin;
  }

  const resetConnection = (socket: Socket) => void socket.resetAndDestroy();

  it.each<[string, (socket: Socket) => void]>([
    ['reset', resetConnection],
    ['closed', (socket) => void socket.end()],
  ])('without a byte of an answer, %s by the server, is sent once more with the same bytes', async (_case, endKept) => {
    const { server, requests } = await startEndingServer({ endKept });
    const origin = originAt(server);
    await origin.send({ ...call, path: '/before' });
    expect(await origin.send(call)).toMatchObject(answered);
    const [before, ...calls] = requests();
    expect(before).toContain('POST /before ');
    expect(calls).toEqual([expect.stringContaining('idempotency-key: k-1\r\n'), calls[0]]);
    expect([server.connections(), sentAgain]).toEqual([2, 1]);
  });

  it('while the request is being written is sent once more', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, ' ');
    const { server } = await startEndingServer({ bodyBytes: body.length });
    const origin = originAt(server);
    await origin.send(call);
    expect(await origin.send({ ...call, body })).toMatchObject(answered);
    expect([server.connections(), sentAgain]).toEqual([2, 1]);
  });

  it('is sent once more before the calls that wait for a connection', async () => {
    const { server, requests } = await startEndingServer({});
    const origin = originAt(server);
    await origin.send(call);
    const calls = ['/b', '/c'].map((path) => origin.send({ ...call, path }));
    expect(await Promise.all(calls)).toMatchObject([answered, answered]);
    expect(requests().map((request) => request.split(' ')[1])).toEqual(['/a', '/b', '/b', '/c']);
  });

  it('is ambiguous and not sent again if it cannot be repeated', async () => {
    const { server, requests } = await startEndingServer({});
    const origin = originAt(server, false);
    await origin.send(call);
    expect(await origin.send(call)).toEqual(reset);
    expect([server.connections(), requests().length, sentAgain]).toEqual([1, 2, 0]);
  });

  it.each<[string, string]>([
    ['one byte of an answer', 'H'],
    ['an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('after %s is ambiguous and not sent again', async (_case, bytes) => {
    const { server, requests } = await startEndingServer({ endKept: (socket) => void socket.end(bytes) });
    const origin = originAt(server);
    await origin.send(call);
    expect(await origin.send(call)).toMatchObject({ kind: 'ambiguous' });
    expect([server.connections(), requests().length, sentAgain]).toEqual([1, 2, 0]);
  });

  it('is ambiguous and not sent a third time if the second connection ends as well', async () => {
    const { server, requests } = await startEndingServer({ answerFresh: resetConnection });
    const origin = originAt(server);
    await origin.send(call);
    expect(await origin.send(call)).toEqual(reset);
    expect([server.connections(), requests().length, sentAgain]).toEqual([2, 3, 1]);
  });

  it('is ambiguous, not unsent, if no second connection can be made', async () => {
    const { server } = await startEndingServer({ endKept: () => server.close() });
    const origin = originAt(server);
    await origin.send(call);
    const cause = 'connection closed before the answer was whole';
    expect(await origin.send(call)).toEqual({ kind: 'ambiguous', cause });
    expect(sentAgain).toBe(0);
  });

  it.each<[string, number, Partial<HttpCall>, object]>([
    ['its deadline', timeoutMs, {}, { kind: 'ambiguous', timedOut: true, cause: 'no whole answer within 20000 ms' }],
    ['the end of the time in which it may be repeated', 5001, { repeatUntilMs: 6000 }, reset],
  ])('is not sent again after %s', async (_case, passedMs, terms, outcome) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const { server, requests } = await startEndingServer({
      endKept: (socket) => {
        now.mockReturnValue(1000 + passedMs);
        resetConnection(socket);
      },
    });
    const origin = originAt(server);
    await origin.send(call);
    expect(await origin.send({ ...call, ...terms })).toEqual(outcome);
    expect([requests().length, sentAgain]).toEqual([2, 0]);
  });
});

describe('a call on a new connection that ends', () => {
  it('is ambiguous and not sent again', async () => {
    const ended: Promise<unknown>[] = [];
    const server = await startRawServer((socket) => {
      ended.push(once(socket, 'close'));
      socket.resetAndDestroy();
    });
    const origin = createHttpOrigin({ origin: server.url, connections: 1, timeoutMs, maxAnswerBytes: 1000 });
    expect(await origin.send(call)).toEqual(reset);
    await Promise.all(ended);
    expect(server.connections()).toBe(1);
    await origin.close();
    server.close();
  });
});
