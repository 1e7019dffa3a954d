import { SecretBoxError, type SecretBox } from '../configuration/secret-box.ts';

/** Creates the token with which the receiver of an attempt reports: bound to the job, it contains the attempt. */
export function sealReportToken(box: Pick<SecretBox, 'seal'>, jobId: string, attempt: number): string {
  return box.seal(String(attempt), placeOf(jobId)).sealed;
}

/**
 * Returns the token's attempt, or undefined if it is not a token of this job.
 * @throws {SecretBoxError} `no-key` if this process cannot verify tokens
 */
export function openReportToken(box: Pick<SecretBox, 'open'>, jobId: string, token: string): number | undefined {
  try {
    return Number(box.open(token, placeOf(jobId)));
  } catch (error) {
    if (error instanceof SecretBoxError && error.fault !== 'no-key') return undefined;
    throw error;
  }
}

function placeOf(jobId: string): string {
  return `job-report:${jobId}`;
}
