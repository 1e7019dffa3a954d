import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { FileReading } from '../../../shared/contracts/campaigns/file-reading.ts';
import { readQuotaProblem } from '../frame/quota-problem.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { brokenUpload, uploadBytes, type UploadTerms } from '../frame/streams/upload-bytes.ts';
import type { UploadReading } from './read-upload.ts';
import { readUserFile, type UserFileTerms } from './read-user-file.ts';
import { requireFewRejects } from './reject-share.ts';
import type { Upload, UploadEnd } from './upload.port.ts';

export interface ReceiveUploadTerms<Received> extends Omit<UserFileTerms, 'onRows' | 'onBegin'>, UploadTerms {
  body: Readable;
  /** Number of rejected rows that the sender accepts. */
  acceptRejected: number | undefined;
  upload: Upload<Received>;
  logger: FastifyBaseLogger;
}

/**
 * Stores a file as a list. If reading fails, the list is in the state failed, with its cause and without users.
 * @throws {HttpProblem} if the file is incomplete, arrives too slowly, cannot be read, has no users, or has too many
 * rejected rows
 */
export async function receiveUpload<Received>({
  body,
  encoding,
  clock,
  acceptRejected,
  upload,
  logger,
  ...terms
}: ReceiveUploadTerms<Received>): Promise<{ record: Received; reading: FileReading }> {
  let begun: UploadReading | undefined;
  let judged: UploadEnd | undefined;

  function judge(end: UploadEnd): void {
    judged = end;
    requireFewRejects(end, acceptRejected);
  }

  async function receive(): Promise<{ record: Received | undefined; description: FileReading }> {
    const { reading, description } = await readUserFile(uploadBytes(body, { encoding, clock }), {
      ...terms,
      onRows: (rows) => upload.add(rows),
      onBegin: (reading) => {
        begun = reading;
      },
    });
    judge(reading.end());
    return { record: await upload.finish(reading.end(), judge), description };
  }

  try {
    const { record, description } = await receive();
    if (record !== undefined) return { record, reading: description };
  } catch (error) {
    const problem = brokenUpload(error, begun?.lines() ?? 0) ?? readQuotaProblem(error);
    const end = judged ?? begun?.end() ?? { rows: 0, rejected: 0, rejects: [] };
    // The cause is also stored with the list, because the sender may have disconnected.
    await upload.fail(problem?.message ?? 'the file could not be stored', end).catch((failure: unknown) => {
      logger.warn({ err: failure }, 'could not mark an upload as failed');
    });
    throw problem ?? error;
  }
  const detail = 'another request with the same Idempotency-Key has replaced this one';
  throw new HttpProblem({ status: 409, code: 'upload-superseded', detail });
}
