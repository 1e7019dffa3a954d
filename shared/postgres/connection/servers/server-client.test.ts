import { afterEach, describe, expect, it } from 'vitest';
import { startRawServer, type RawServer } from '../../../../test/support/raw-server.ts';
import { parseDatabaseUrl } from '../../../runtime/configuration/database-url.ts';
import { ServerClient } from './server-client.ts';
import { createServerOrder } from './server-order.ts';

/** Returns a message of the protocol: its kind, its length, and its parts. */
function message(kind: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

const authenticationOk = message('R', int32(0));
const passwordRequest = message('R', int32(3));
const ready = message('Z', Buffer.from('I'));
const whatItIs = [message('S', 'in_hot_standby', 'off'), message('S', 'default_transaction_read_only', 'off')];
const welcome = Buffer.concat([authenticationOk, ...whatItIs, ready]);
/** The answer of a pooler that does not pass on the parameters of its server. */
const welcomeOfPooler = Buffer.concat([authenticationOk, ready]);

const columns = ['isStandby', 'isReadOnly'];
const columnOf = (name: string) => [name, int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)];
const answerOfPooler = Buffer.concat([
  message('T', int16(columns.length), ...columns.flatMap(columnOf)),
  message('D', int16(columns.length), ...columns.flatMap(() => [int32(3), Buffer.from('off')])),
  message('C', 'SELECT 1'),
  ready,
]);

describe('a connection to one of several servers', () => {
  let server: RawServer;

  afterEach(() => server.close());

  /** Connects to a server that gives these answers; the event loop is blocked after `standsStillAfter`. */
  async function connect(answers: Buffer[], timeoutMs: number, standsStillAfter?: Buffer): Promise<ServerClient> {
    server = await startRawServer((socket) => {
      const next = answers.shift();
      if (next === undefined) return;
      socket.write(next);
      if (next === standsStillAfter) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs + 1);
    });
    const { servers } = parseDatabaseUrl(`postgres://user:secret@127.0.0.1:${new URL(server.url).port}/db`);
    const shared = {
      servers: 1,
      wanted: 'primary',
      order: createServerOrder(servers),
      open: new Set<ServerClient>(),
    } as const;
    const client = new ServerClient(shared, {}, timeoutMs);
    await client.connect();
    return client;
  }

  it('times out if the server is silent', async () => {
    await expect(connect([], 1)).rejects.toThrow('it does not answer in time');
  });

  it('times out if the server does not report its role', async () => {
    await expect(connect([welcomeOfPooler], 100)).rejects.toThrow('it does not say what it is');
  });

  it.each([
    ['its only answer', [welcome], welcome],
    ['its request for the password', [passwordRequest, welcome], passwordRequest],
    ['its answer about its role', [welcomeOfPooler, answerOfPooler], answerOfPooler],
  ])('is open if %s arrived while the event loop was blocked past the time-out', async (_which, answers, last) => {
    const client = await connect([...answers], 500, last);
    expect(client.server.name).toBe(new URL(server.url).host);
    await client.end();
  });
});
