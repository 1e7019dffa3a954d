import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { UnverifiedCall, verify } from '../../../sdk/verify.ts';
import { callbackRules, type CallbackManner, type LedgerLine } from './callback-receiver-messages.ts';

/**
 * A client's service as a separate process. It records every call before it answers, verifies the signature with the
 * SDK, and behaves by the rule for the first part of the path. The argument is its ledger. It sends its port to its
 * parent process and receives rules.
 */
const [ledgerFile = ''] = process.argv.slice(2);
let rules = callbackRules.parse({ secrets: [], manners: {} });
const timesCalled = new Map<string, number>();
/** Connections that have carried an answer. */
const kept = new WeakSet<Socket>();
let calls = 0;

/** A stream, so that a disk that the fault keeps busy does not delay calls. */
const ledger = createWriteStream(ledgerFile, { flags: 'a' });
const write = (line: LedgerLine) => ledger.write(`${JSON.stringify(line)}\n`);

const header = z.string().optional();
const textOf = (request: IncomingMessage, name: string) => header.parse(request.headers[name]);

function problemOf(request: IncomingMessage, body: Buffer): string | null {
  try {
    verify(request.headers, body, { secrets: rules.secrets });
    return null;
  } catch (error) {
    if (error instanceof UnverifiedCall) return error.message;
    throw error;
  }
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = Date.now();
  const call = ++calls;
  const isKept = kept.has(request.socket);
  const body = await buffer(request);
  const jobId = textOf(request, 'webhook-id') ?? '';
  const [, name = '', ...path] = (request.url ?? '').split('/');
  const times = (timesCalled.get(jobId) ?? 0) + 1;
  timesCalled.set(jobId, times);
  const scheduleId = textOf(request, 'muster-schedule-id');
  const scheduledFor = textOf(request, 'muster-scheduled-for') ?? '';
  const group = textOf(request, 'muster-group') ?? '';
  const digest = createHash('sha256').update(body).digest('hex');
  write({
    kind: 'call',
    call,
    atMs,
    isKept,
    jobId,
    path: path.join('/'),
    digest,
    problem: problemOf(request, body),
    occurrence: scheduleId === undefined ? null : { scheduleId, group, scheduledFor },
  });
  response.on('finish', () => {
    kept.add(request.socket);
    write({ kind: 'end', call, atMs: Date.now(), status: response.statusCode });
  });
  response.on('close', () => {
    if (!response.writableFinished) write({ kind: 'end', call, atMs: Date.now(), status: null });
  });
  const manner = rules.manners[name];
  const isOver = manner?.times !== undefined && times > manner.times;
  behave(response, manner && !isOver ? manner : { latencyMs: manner?.latencyMs ?? 0, status: 200 });
}

function behave(response: ServerResponse, { latencyMs, status, headers, does }: CallbackManner): void {
  setTimeout(() => {
    if (response.destroyed || does === 'hang') return;
    if (does === 'reset') response.socket?.resetAndDestroy();
    else response.writeHead(status, headers).end('{"ok":true}');
  }, latencyMs);
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy());
});
// Keeps connections open while dispatchers make no calls, so that they can be reused.
server.keepAliveTimeout = 60_000;
let port = 0;
/** Reports the port after all earlier calls are written. */
const tellPort = () => void ledger.write('', () => process.send?.({ port }));
server.on('listening', () => {
  port = z.object({ port: z.number() }).parse(server.address()).port;
  tellPort();
});

/**
 * While the receiver did not listen, the kernel may have given the port to another connection. The receiver tries again
 * until the port is free.
 */
server.on('error', (error) => {
  if (!('code' in error) || error.code !== 'EADDRINUSE') throw error;
  setTimeout(() => server.listen(port, '127.0.0.1'), 100);
});

process.on('message', (message) => {
  rules = callbackRules.parse(message);
  if (rules.isUp && !server.listening) server.listen(port, '127.0.0.1');
  else if (!rules.isUp && server.listening) {
    server.close(tellPort);
    server.closeAllConnections();
  } else tellPort();
});
process.on('disconnect', () => process.exit());
