import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { CheckSignature } from '../../shared/domain/endpoint/require-signature.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import type { BatchService } from './batch-service.ts';
import type { ServiceName } from './wire/chance.ts';
import { answerControl } from './control.ts';
import type { FaultSwitches } from './faults/fault-switches.ts';
import { faultyPage } from './faults/faulty-page.ts';
import type { HttpAnswer } from './wire/http-answer.ts';
import { answerPreview, previewPath } from './message-preview.ts';
import { answerOptions } from './option-lists.ts';
import type { LedgerWriter } from './ledger/ledger-writer.ts';
import type { ReceiptSender } from './receipt-sender.ts';
import type { SegmentationService } from './segmentation-service.ts';
import { sendAnswer } from './wire/send-answer.ts';

export interface SandboxDeps {
  host: string;
  /** Port of the server; 0 means any free port. */
  port: number;
  segmentation: SegmentationService;
  services: Record<ServiceName, BatchService>;
  faults: FaultSwitches;
  ledger: LedgerWriter;
  /** Sender of receipts; undefined if no receipts are sent. */
  receipts: ReceiptSender | undefined;
  /** Function that checks signatures; undefined if calls need no signature. */
  checkSignature: CheckSignature | undefined;
  logger: Logger;
}

export interface Sandbox extends Service {
  /** Resolves with the base URL once connections are accepted. */
  start(): Promise<string>;
}

const maxBodyBytes = 4 * 1024 * 1024;
const batchPath = /^\/(rewards|points|messages|checks)\/v1\/(batches|status)$/;

/** All services that a campaign calls, in one process. They are the reference implementation of docs/contracts.md. */
export function createSandbox(deps: SandboxDeps): Sandbox {
  const { segmentation, services, faults, ledger, logger } = deps;
  const answering = new Set<Promise<void>>();
  let taking = false;

  const server = createServer((request, response) => {
    const answered = route(request, response)
      .catch((error: unknown) => {
        // A caller that was killed while sending its body is not a fault of the sandbox.
        if (request.errored === null) logger.error({ err: error, url: request.url }, 'request failed');
        return problem(500, 'server-error', 'the sandbox failed');
      })
      .then((answer) => {
        // This answer ends when the caller disconnects: a stop does not wait for it.
        if (answer.delivery?.kind === 'none') answering.delete(answered);
        return sendAnswer(response, answer);
      })
      .finally(() => answering.delete(answered));
    answering.add(answered);
  });
  // Longer than callers keep idle connections: if the server closed first, a call sent at that moment would be lost.
  server.keepAliveTimeout = 65_000;

  async function route(request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer> {
    const url = request.url ?? '/';
    const [, batchService, door] = batchPath.exec(url) ?? [];
    if (batchService !== undefined) return await callBatchService(batchService, door === 'status', request, response);
    if (url === '/control') return answerControl(faults, request.method, (await readBody(request)) ?? Buffer.alloc(0));
    if (url === '/channel') return await takeMessage(request);
    if (url === previewPath) return await previewMessage(request);
    if (request.method !== 'GET') return problem(405, 'wrong-method', 'GET only');
    if (url === '/healthz') return json({ status: 'ok' });
    if (url === '/readyz') return taking ? json({ status: 'ok' }) : problem(503, 'not-ready', 'stopping');
    if (url === '/stats') return json(statsOf(deps));
    const { pathname, searchParams } = new URL(url, 'http://sandbox');
    const options = answerOptions(pathname, searchParams);
    if (options) return unsignedRefusal(request) ?? options;
    if (!pathname.startsWith('/segmentation/')) return problem(404, 'not-found', 'there is nothing here');
    const answer = segmentation.answer(pathname.slice('/segmentation'.length), searchParams);
    return await faultyPage(answer, { pathname, searchParams }, faults);
  }

  /** Accepts messages and discards them. Replaces the incoming webhook of a chat channel. */
  async function takeMessage(request: IncomingMessage): Promise<HttpAnswer> {
    if (request.method !== 'POST') return problem(405, 'wrong-method', 'POST only');
    const body = await readBody(request);
    return body ? json({ status: 'ok' }) : problem(413, 'body-too-large', `at most ${maxBodyBytes} bytes`);
  }

  async function previewMessage(request: IncomingMessage): Promise<HttpAnswer> {
    if (request.method !== 'POST') return problem(405, 'wrong-method', 'POST only');
    const body = await readBody(request);
    if (!body) return problem(413, 'body-too-large', `at most ${maxBodyBytes} bytes`);
    return unsignedRefusal(request, body) ?? answerPreview(body);
  }

  /** Checks the signature of a request without an effect. A query has no body. */
  function unsignedRefusal({ headers }: IncomingMessage, body: Buffer = Buffer.alloc(0)): HttpAnswer | null {
    const unsigned = deps.checkSignature?.(headers, body) ?? null;
    return unsigned === null ? null : problem(401, 'bad-signature', unsigned);
  }

  async function callBatchService(
    name: string,
    isStatus: boolean,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<HttpAnswer> {
    if (request.method !== 'POST') return problem(405, 'wrong-method', 'POST only');
    const body = await readBody(request);
    if (!body) return problem(413, 'body-too-large', `at most ${maxBodyBytes} bytes`);
    const unsigned = deps.checkSignature?.(request.headers, body) ?? null;
    if (unsigned !== null) return problem(401, 'bad-signature', unsigned);
    const service = new Map(Object.entries(services)).get(name);
    if (!service) return problem(404, 'not-found', 'there is nothing here');
    if (isStatus) return await service.answerStatus(body);
    const onClosed = (listener: () => void) => void response.once('close', listener);
    return await service.answer({ headers: request.headers, body, onClosed });
  }

  return {
    start: async () => {
      const url = await listen(server, deps);
      taking = true;
      return url;
    },
    ready: () => taking,
    stopIntake: async () => {
      taking = false;
      if (!server.listening) return;
      server.close();
      server.closeIdleConnections();
      await Promise.resolve();
    },
    finishWork: async () => {
      await Promise.all(answering);
    },
    close: async () => {
      server.closeAllConnections();
      await deps.receipts?.close();
      await Promise.all(Object.values(services).map((service) => service.close()));
      await ledger.close();
    },
  };
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox has no address');
  return `http://${host}:${address.port}`;
}

/**
 * Reads the body of a request. Undefined if it is too long. Uses events, because asynchronous iteration takes twice the
 * CPU time.
 */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
    });
    request.on('end', () => resolve(bytes <= maxBodyBytes ? Buffer.concat(chunks) : undefined));
    request.on('error', reject);
  });
}

function statsOf({ segmentation, services, receipts }: SandboxDeps) {
  const { rewards, points, messages, checks } = services;
  return {
    segmentation: segmentation.stats,
    rewards: rewards.stats,
    points: points.stats,
    messages: messages.stats,
    checks: checks.stats,
    receipts: receipts?.stats ?? null,
  };
}

function json(value: object): HttpAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

function problem(status: number, code: string, message: string): HttpAnswer {
  return { status, body: JSON.stringify({ code, message }) };
}
