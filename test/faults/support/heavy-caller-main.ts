import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/**
 * One account that keeps 40 exports in progress, sends 8 files whose rows never arrive, and sends bodies of a mebibyte
 * of nonsense. It sends a message when all were sent and one body was answered. When it has to leave, it waits for the
 * answers to the files and then sends all answers.
 */
const [, , base = '', key = '', exportPath = ''] = process.argv;
const exportsAtOnce = 40;
const slowUploads = 8;
const againAfterMs = 1000;
const nonsense = Buffer.from(`[${'1,'.repeat(512 * 1024 - 2)}1]`);

/** Answers by kind and status; 0: the connection was cut. `unnamed`: a refusal that does not name its limit. */
const answers: Record<string, Record<string, number>> = { exports: {}, uploads: {}, bodies: {}, unnamed: {} };
const problemShape = z.object({ detail: z.string() });
let isLeaving = false;

function count(kind: string, status: number): void {
  const ofKind = (answers[kind] ??= {});
  ofKind[status] = (ofKind[status] ?? 0) + 1;
}

interface Wanted {
  kind: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The whole body, or the part of it that comes. */
  body?: Buffer;
  isWhole: boolean;
}

async function ask({ kind, method, path, headers, body, isWhole }: Wanted): Promise<void> {
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const all = { authorization: `Bearer ${key}`, ...headers };
      const sent = request(`${base}${path}`, { method, headers: all }, resolve);
      sent.on('error', reject);
      if (isWhole) sent.end(body);
      else sent.write(body);
    });
    const status = response.statusCode ?? 0;
    const answered = await text(response);
    count(kind, status);
    const isRefusal = status === 429 || status === 408;
    if (!isRefusal) return;
    const isNamed = /limit|minimum rate/.test(problemShape.parse(JSON.parse(answered)).detail);
    if (!isNamed || (status === 429 && response.headers['retry-after'] === undefined)) count('unnamed', status);
  } catch {
    count(kind, 0);
  }
}

async function exportOn(): Promise<void> {
  while (!isLeaving) {
    await ask({ kind: 'exports', method: 'GET', path: exportPath, headers: { accept: 'text/csv' }, isWhole: true });
    await wait(againAfterMs);
  }
}

function sendBody(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  return ask({ kind: 'bodies', method: 'POST', path: '/v1/campaigns', headers, body: nonsense, isWhole: true });
}

async function sendBodies(): Promise<void> {
  while (!isLeaving) {
    await sendBody();
    await wait(againAfterMs / 4);
  }
}

function sendSlowly(place: number): Promise<void> {
  const headers = { 'content-type': 'text/csv', 'content-length': '100000' };
  const path = `/v1/audiences/upload?country=SG&name=slow-${place}`;
  return ask({ kind: 'uploads', method: 'POST', path, headers, body: Buffer.from('userId\na1\n'), isWhole: false });
}

const uploads = Array.from({ length: slowUploads }, (_, place) => sendSlowly(place));
const exports = Array.from({ length: exportsAtOnce }, exportOn);
await sendBody();
const bodies = sendBodies();
process.send?.('begun');

process.once('message', () => {
  isLeaving = true;
  void Promise.all([...uploads, ...exports, bodies]).then(() => process.send?.(answers, () => process.exit()));
});
