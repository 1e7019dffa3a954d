import { reportHeaders } from '../../../shared/contracts/jobs/job-reports.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import { SecretBoxError, type SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { sealReportToken } from '../../../shared/runtime/installation/report-tokens.ts';
import type { HeldJob } from '../jobs/held-job.ts';

export interface ReportInvitation {
  kind: 'invited';
  /** Names and values, alternating. */
  headers: readonly string[];
  /** Values that are sent and must not be stored. */
  secrets: readonly string[];
}

/**
 * Creates the headers that invite a receiver to report the outcome of a job later: the URL, a token, and the time
 * limit.
 */
export interface ReportInviter {
  /** Returns the headers. Returns `unsent` if this process has no key to create the token. */
  invite(
    job: Pick<HeldJob, 'jobId' | 'attempt'>,
    withinMs: number,
  ): ReportInvitation | { kind: 'unsent'; cause: string };
}

export interface ReportInviterDeps {
  secretBox: Pick<SecretBox, 'seal'>;
  publicAddress: PublicAddress | undefined;
}

export function createReportInviter({ secretBox, publicAddress }: ReportInviterDeps): ReportInviter {
  const base = publicAddress ? publicAddress.origin + publicAddress.basePath : '';
  return {
    invite: ({ jobId, attempt }, withinMs) => {
      try {
        const token = sealReportToken(secretBox, jobId, attempt);
        const url = `${base}/v1/jobs/${publicId('job', jobId)}/report`;
        const { url: to, token: by, within } = reportHeaders;
        return { kind: 'invited', headers: [to, url, by, token, within, String(withinMs / 1000)], secrets: [token] };
      } catch (error) {
        if (!(error instanceof SecretBoxError)) throw error;
        return { kind: 'unsent', cause: `no token for its report can be made: ${error.fault}` };
      }
    },
  };
}
