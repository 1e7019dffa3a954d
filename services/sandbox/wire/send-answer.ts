import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { HttpAnswer, InterimStatus } from './http-answer.ts';

const chunkBytes = 1024 * 1024;

/**
 * Sends a response. Resolves when nothing more will be written. A slow delivery ends early if the caller disconnects.
 */
export async function sendAnswer(response: ServerResponse, answer: HttpAnswer): Promise<void> {
  const { delivery, body, interim = [] } = answer;
  for (const status of interim) sendInterim(response, status);
  if (!delivery) {
    writeHead(response, answer, Buffer.byteLength(body));
    response.end(body);
    return;
  }
  switch (delivery.kind) {
    case 'none':
      if (!response.destroyed) await once(response, 'close');
      return;
    case 'reset':
      response.destroy();
      return;
    case 'half':
      writeHead(response, answer, Buffer.byteLength(body));
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    case 'gzip': {
      const packed = gzipSync(body);
      writeHead(response, { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } }, packed.length);
      response.end(packed);
      return;
    }
    case 'drip':
      writeHead(response, answer, Buffer.byteLength(body));
      await drip(response, Buffer.from(body), delivery.everyMs);
      return;
    case 'blanks':
      writeHead(response, answer, delivery.bytes);
      await writeBlanks(response, delivery.bytes);
  }
}

function sendInterim(response: ServerResponse, status: InterimStatus): void {
  switch (status) {
    case 100:
      response.writeContinue();
      return;
    case 102:
      response.writeProcessing();
      return;
    case 103:
      response.writeEarlyHints({ link: '</hints>; rel=preload' });
  }
}

function writeHead(response: ServerResponse, { status, headers }: HttpAnswer, bytes: number): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': bytes });
}

async function drip(response: ServerResponse, body: Buffer, everyMs: number): Promise<void> {
  for (let sent = 0; sent < body.length && !response.destroyed; sent++) {
    response.write(body.subarray(sent, sent + 1));
    await wait(everyMs);
  }
  response.end();
}

async function writeBlanks(response: ServerResponse, bytes: number): Promise<void> {
  const blanks = Buffer.alloc(chunkBytes, ' ');
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  try {
    for (let left = bytes; left > 0 && !response.destroyed; left -= chunkBytes) {
      if (!response.write(blanks.subarray(0, Math.min(left, chunkBytes)))) {
        await once(response, 'drain', { signal: closed.signal });
      }
    }
    response.end();
  } catch {
    // The caller disconnected, which some tests do on purpose.
  }
}
