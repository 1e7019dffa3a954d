import { BeyondQuotaError, BeyondScheduleBoundError, type StoredQuota } from '../../../shared/domain/quotas.ts';
import { HttpProblem } from './http-problem.ts';

interface QuotaProblem {
  /** HTTP status of the refusal. 507 means that the quota stays full until something is deleted. */
  status: 429 | 507;
  variable: string;
  /**
   * Returns the detail of the problem.
   * @param limit value of the quota, in the unit of its environment variable
   */
  detail: (limit: number) => string;
  retryAfterSeconds?: number;
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 ** 2);

const problems: Record<StoredQuota, QuotaProblem> = {
  openRuns: {
    status: 429,
    variable: 'QUOTA_OPEN_RUNS',
    detail: (limit) => `the account of this campaign has ${limit} runs that are scheduled or have not ended`,
    retryAfterSeconds: 60,
  },
  campaignChanges: {
    status: 429,
    variable: 'QUOTA_CAMPAIGN_CHANGES',
    detail: (limit) => `the keys of this account have created or changed campaigns ${limit} times in 24 hours`,
    retryAfterSeconds: 600,
  },
  lists: {
    status: 507,
    variable: 'QUOTA_LISTS',
    detail: (limit) => `the keys of this account have ${limit} uploaded lists`,
  },
  listBytes: {
    status: 507,
    variable: 'QUOTA_LIST_MIB',
    detail: (limit) => `the lists of this account have ${mebibytes(limit)} MiB of user ids`,
  },
  allListBytes: {
    status: 507,
    variable: 'QUOTA_ALL_LISTS_MIB',
    detail: (limit) => `all lists of this installation together have ${mebibytes(limit)} MiB of user ids`,
  },
};

export function readQuotaProblem(error: unknown): HttpProblem | undefined {
  if (error instanceof BeyondScheduleBoundError) return beyondBound(error);
  if (!(error instanceof BeyondQuotaError)) return undefined;
  const { status, variable, detail, retryAfterSeconds } = problems[error.quota];
  return new HttpProblem({
    status,
    code: 'quota-exceeded',
    detail: `${detail(error.limit)}, which is the limit (${variable}); GET /v1/quotas shows all quotas`,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  });
}

function beyondBound({ bound, message }: BeyondScheduleBoundError): HttpProblem {
  const code = bound === 'maxSchedules' ? 'quota-exceeded' : 'too-many-jobs';
  return new HttpProblem({ status: 429, code, detail: message, headers: { 'retry-after': '60' } });
}
