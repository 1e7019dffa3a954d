import { SecretBoxError, type SecretBox } from '../configuration/secret-box.ts';

/** What the receiver of one attempt of a job may report with: it opens for that job alone, and names the attempt. */
export function sealReportToken(box: Pick<SecretBox, 'seal'>, jobId: string, attempt: number): string {
  return box.seal(String(attempt), placeOf(jobId)).sealed;
}

/**
 * The attempt that it is for; undefined where it is none of this job.
 * @throws {SecretBoxError} `no-key`: this process can believe none
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
