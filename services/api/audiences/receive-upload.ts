import { pipeline, Transform, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyBaseLogger } from 'fastify';
import { beyondQuota } from '../frame/beyond-quota.ts';
import { HttpProblem, quoted } from '../frame/http-problem.ts';
import type { Upload } from './audience-store.port.ts';
import { createUploadReading, type ReadUploadTerms, type UploadReading } from './read-upload.ts';

/** Of what a file holds once it is unpacked: about a hundred million users. */
const maxBytes = 4 * 1024 ** 3;

export interface ReceiveUploadTerms<Received> extends Omit<ReadUploadTerms, 'onRows'> {
  body: Readable;
  encoding: string | undefined;
  upload: Upload<Received>;
  logger: FastifyBaseLogger;
}

/**
 * Reads a file into a list. Whatever keeps it from its end leaves a list that has failed, with its cause, and none of
 * its users.
 * @throws {HttpProblem} the file was cut, cannot be unpacked, or holds no user
 */
export async function receiveUpload<Received>({
  body,
  encoding,
  upload,
  logger,
  ...terms
}: ReceiveUploadTerms<Received>): Promise<Received> {
  const reading = createUploadReading({ ...terms, onRows: (rows) => upload.add(rows) });
  let record: Received | undefined;
  try {
    await reading.read(unpacked(body, encoding));
    const { rows, rejected } = reading.end();
    if (rows === rejected) throw noUsers(rows);
    record = await upload.finish(reading.end());
  } catch (error) {
    const problem = problemOf(error, reading);
    // The sender may be gone: then the list itself is where the cause is read.
    await upload.fail(problem?.message ?? 'it could not be stored', reading.end()).catch((failure: unknown) => {
      logger.warn({ err: failure }, 'could not mark an upload as failed');
    });
    throw problem ?? error;
  }
  if (record) return record;
  const detail = 'another request with the same Idempotency-Key has taken the place of this one';
  throw new HttpProblem({ status: 409, code: 'upload-superseded', detail });
}

function unpacked(body: Readable, encoding: string | undefined): AsyncIterable<unknown> {
  let bytes = 0;
  const limit = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      done(bytes > maxBytes ? tooLarge() : null, chunk);
    },
  });
  const isPlain = encoding === undefined || encoding === 'identity';
  // Errors of any part come out at the end.
  return isPlain ? pipeline(body, limit, ignore) : pipeline(body, createGunzip(), limit, ignore);
}

function ignore(): void {
  // What went wrong is thrown to the reader of the last stream.
}

/** @throws {HttpProblem} an encoding that is not unpacked here */
export function requireKnownEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity' || encoding === 'gzip') return;
  const detail = `content-encoding is ${quoted(encoding)}, and has to be gzip or not there`;
  throw new HttpProblem({ status: 415, code: 'unsupported-encoding', detail });
}

/** Undefined where it is not the sender's fault. */
function problemOf(error: unknown, reading: UploadReading): HttpProblem | undefined {
  if (error instanceof HttpProblem) return error;
  const beyond = beyondQuota(error);
  if (beyond) return beyond;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const lines = `after ${reading.lines()} lines`;
  if (code.startsWith('Z_')) {
    const detail = `the file cannot be unpacked ${lines}: ${error instanceof Error ? error.message : code}`;
    return new HttpProblem({ status: 400, code: 'malformed-gzip', detail });
  }
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new HttpProblem({ status: 400, code: 'upload-cut', detail: `the upload was cut ${lines}` });
  }
  return undefined;
}

function noUsers(rows: number): HttpProblem {
  const detail =
    rows === 0 ? 'the file holds no row' : `none of the ${rows} rows of the file is a user; see its rejects`;
  return new HttpProblem({ status: 422, code: 'no-users', detail });
}

function tooLarge(): HttpProblem {
  const detail = `the file holds more than ${maxBytes} bytes; split it into several lists`;
  return new HttpProblem({ status: 413, code: 'file-too-large', detail });
}
