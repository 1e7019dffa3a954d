import { pipeline, Transform, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { HttpProblem, quoted } from '../http-problem.ts';

/** Maximum size of a decompressed file in bytes, about a hundred million users. */
const maxBytes = 4 * 1024 ** 3;

/** Maximum compression ratio of a file. Files of user ids have a ratio of 3 to 20. */
const maxExpansion = 100;
/** Decompressed size up to which any ratio is accepted, because such files cost little. */
const expansionCountsFrom = 16 * 1024 ** 2;

/** Milliseconds of waiting for the sender over which its rate is measured. */
export const rateWindowMs = 30_000;
export const minBytesPerSecond = 1024;

/** Encoding that the sender declares. A `plain` file that begins with the bytes of gzip is decompressed anyway. */
export type UploadEncoding = 'gzip' | 'plain';

export interface UploadTerms {
  encoding: UploadEncoding;
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** Called with the actual encoding of the file, before its first byte is yielded. */
  onEncoding?: (encoding: UploadEncoding) => void;
}

/**
 * Yields the bytes of a file as a stream, decompressed. Many programs send a file as it is stored on disk, so gzip is
 * recognized by its first bytes, even without a `content-encoding`. An upload occupies a slot, so its sender must keep
 * to a minimum rate, and its compression ratio is limited.
 * @throws {HttpProblem} 408 for a body that arrives too slowly, 413 for a file that is too large or has a higher ratio,
 * 415 for a file that was compressed twice
 */
export async function* uploadBytes(
  body: Readable,
  { encoding, clock, onEncoding }: UploadTerms,
): AsyncGenerator<unknown, void> {
  const chunks = atMinimumRate(body, clock);
  const head = await readHead(chunks);
  const file = withHead(head, chunks);
  const isPacked = encoding === 'gzip' || isGzip(head);
  onEncoding?.(isPacked ? 'gzip' : 'plain');
  yield* isPacked ? notPackedAgain(unpacked(file)) : withinLimit(file);
}

/** First bytes of each gzip file. A text in UTF-8 cannot begin with them. */
const gzipMagic = Buffer.from([0x1f, 0x8b]);

function isGzip(head: Buffer): boolean {
  return head.subarray(0, gzipMagic.length).equals(gzipMagic);
}

/** Reads chunks until there are enough bytes to recognize gzip, or no more. */
async function readHead(chunks: AsyncIterator<unknown, void>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < gzipMagic.length) {
    const read = await chunks.next();
    if (read.done) break;
    head = Buffer.concat([head, bufferOf(read.value)]);
  }
  return head;
}

async function* withHead(head: Buffer, rest: AsyncGenerator<unknown, void>): AsyncGenerator<unknown, void> {
  try {
    yield head;
    yield* rest;
  } finally {
    await rest.return();
  }
}

async function* withinLimit(chunks: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += lengthOf(chunk);
    if (bytes > maxBytes) throw tooLarge();
    yield chunk;
  }
}

function unpacked(chunks: AsyncIterable<unknown>): AsyncIterable<unknown> {
  let packed = 0;
  let bytes = 0;
  const count = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      packed += chunk.length;
      done(null, chunk);
    },
  });
  const limit = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      const isExpanding = bytes > Math.max(expansionCountsFrom, packed * maxExpansion);
      done(bytes > maxBytes ? tooLarge() : isExpanding ? expandsTooMuch() : null, chunk);
    },
  });
  // The callback ignores the error, because the last stream of the pipeline receives all errors.
  return pipeline(chunks, count, createGunzip(), limit, ignore);
}

async function* notPackedAgain(chunks: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head.length < gzipMagic.length) {
      head = Buffer.concat([head, bufferOf(chunk)]);
      if (isGzip(head)) throw packedTwice();
    }
    yield chunk;
  }
}

function bufferOf(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
}

/**
 * Enforces the minimum rate. Only time spent waiting for the sender counts, so a slow database is never mistaken for a
 * slow sender.
 */
async function* atMinimumRate(body: Readable, clock: UploadTerms['clock']): AsyncGenerator<unknown, void> {
  let window = { waitedMs: 0, bytes: 0 };

  function judge(): void {
    if (window.waitedMs < rateWindowMs) return;
    if (window.bytes < (minBytesPerSecond * rateWindowMs) / 1000) throw tooSlow(window.bytes);
    window = { waitedMs: 0, bytes: 0 };
  }

  const chunks = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = chunks.next();
      for (let isHere = false; !isHere;) {
        const beganMs = clock.monotonicMs();
        isHere = await settlesWithin(next, rateWindowMs - window.waitedMs, clock);
        window.waitedMs += clock.monotonicMs() - beganMs;
        if (!isHere) judge();
      }
      const read = await next;
      if (read.done) return;
      window.bytes += lengthOf(read.value);
      judge();
      yield read.value;
    }
  } finally {
    discardRest(body, chunks);
  }
}

/** Reads a refused file to its end, because many senders read the response only after they have sent everything. */
function discardRest(body: Readable, chunks: AsyncIterator<unknown>): void {
  const closed = chunks.return?.() ?? Promise.resolve();
  closed.then(() => body.resume()).catch(ignore);
}

async function settlesWithin(promise: Promise<unknown>, ms: number, clock: UploadTerms['clock']): Promise<boolean> {
  const isOver = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, clock.sleep(ms, isOver.signal).then(() => false)]);
  isOver.abort();
  return isSettled;
}

function lengthOf(chunk: unknown): number {
  return Buffer.isBuffer(chunk) || typeof chunk === 'string' ? chunk.length : 0;
}

function ignore(): void {
  // The error is ignored, because the reader of the last stream of the pipeline receives it.
}

/**
 * Reads the header `content-encoding`, whose value is case-insensitive (RFC 9110 section 8.4.1).
 * @throws {HttpProblem} 415 if the encoding is unknown
 */
export function readUploadEncoding(header: string | undefined): UploadEncoding {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  if (name === '' || name === 'identity') return 'plain';
  const detail = `content-encoding is ${quoted(header)}, and has to be gzip or absent`;
  throw new HttpProblem({ status: 415, code: 'unsupported-encoding', detail });
}

function packedTwice(): HttpProblem {
  const detail = 'the file is compressed with gzip twice: decompress it once and send the result';
  return new HttpProblem({ status: 415, code: 'unsupported-encoding', detail });
}

/**
 * Returns the problem of a broken file; undefined if the sender did not cause the error.
 * @param lines number of lines read before the error
 */
export function brokenUpload(error: unknown, lines: number): HttpProblem | undefined {
  if (error instanceof HttpProblem) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('Z_')) {
    const cause = error instanceof Error ? error.message : code;
    const detail = `the file cannot be decompressed after ${lines} lines: ${cause}`;
    return new HttpProblem({ status: 400, code: 'malformed-gzip', detail });
  }
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new HttpProblem({ status: 400, code: 'upload-cut', detail: `the upload was cut after ${lines} lines` });
  }
  return undefined;
}

function tooSlow(bytes: number): HttpProblem {
  const detail =
    `the body arrived too slowly: ${bytes} bytes in ${rateWindowMs / 1000} seconds of waiting for it; the minimum rate of an ` +
    `upload is ${minBytesPerSecond} bytes a second`;
  // The header closes the connection, so that the server does not wait for the rest of the body.
  return new HttpProblem({ status: 408, code: 'upload-too-slow', detail, headers: { connection: 'close' } });
}

function tooLarge(): HttpProblem {
  const detail = `the decompressed file has more than ${maxBytes} bytes, which is the limit; split it into several files`;
  return new HttpProblem({ status: 413, code: 'file-too-large', detail });
}

function expandsTooMuch(): HttpProblem {
  const detail =
    `the file decompresses to more than ${maxExpansion} times its size, which is the limit above ${expansionCountsFrom} bytes; ` +
    'send it uncompressed or remove repeated rows';
  return new HttpProblem({ status: 413, code: 'file-expands-too-much', detail });
}
