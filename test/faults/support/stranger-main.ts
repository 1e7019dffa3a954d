import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/**
 * Senders without a valid key: 10,000 wrong keys a minute, a mebibyte of nonsense to every open route in turn, and
 * bodies that arrive one byte at a time. The process sends a message when a hundred requests were answered, and all
 * answers when it has to leave.
 */
const [, , base = ''] = process.argv;
const { hostname, port } = new URL(base);
const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const nonsense = Buffer.alloc(1024 * 1024, '[{"a":');

const wrongKeysPerMinute = 10_000;
const nonsensePerSecond = 8;
const slowBodies = 100;

const toBegin = 100;

/** Answers by status; 0: the connection was cut. */
const answers: Record<string, number> = {};
let all = 0;

function answered(status: number): void {
  answers[status] = (answers[status] ?? 0) + 1;
  all += 1;
  if (all === toBegin) process.send?.('begun');
}

function send(method: string, path: string, headers: Record<string, string>, body?: Buffer): void {
  const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
    answered(response.statusCode ?? 0);
    response.resume();
  });
  sent.on('error', () => answered(0));
  sent.end(body);
}

let count = 0;
const keys = setInterval(() => {
  const key = `a-wrong-key-${String(count++).padStart(8, '0')}`;
  send('GET', '/v1/campaigns', { authorization: `Bearer ${key}` });
}, 60_000 / wrongKeysPerMinute);

const json = { 'content-type': 'application/json' };
/** Signature of the right form and time, by an unknown secret. */
const signed = () => ({
  ...json,
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  'webhook-signature': `v1,${Buffer.alloc(32, 9).toString('base64')}`,
});
const open: readonly [path: string, headers: () => Record<string, string>][] = [
  ['/v1/session', () => ({ ...json, origin: base })],
  ['/v1/receipts', signed],
  ['/v1/receipts', () => json],
  ['/v1/jobs/bulk', () => ({ 'content-type': 'application/x-ndjson' })],
  ['/v1/audiences/upload?name=a', () => ({ 'content-type': 'text/csv' })],
  ['/healthz', () => json],
  ['/openapi.json', () => json],
  ['/nowhere', () => json],
];
let turn = 0;
const bodies = setInterval(() => {
  const [path, headers] = open[turn++ % open.length] ?? ['/', () => json];
  send('POST', path, headers(), nonsense);
}, 1000 / nonsensePerSecond);

const sockets = Array.from({ length: slowBodies }, () => {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const head = `POST /v1/session HTTP/1.1\r\nhost: a\r\norigin: ${base}\r\ncontent-type: application/json\r\n`;
  socket.write(`${head}content-length: 2000\r\n\r\n`);
  return socket;
});
const drip = setInterval(() => {
  for (const socket of sockets) if (socket.writable) socket.write('[');
}, 1000);

process.once('message', () => {
  for (const timer of [keys, bodies, drip]) clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  agent.destroy();
  process.send?.(answers, () => process.disconnect());
});
