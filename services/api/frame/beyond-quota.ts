import { BeyondQuotaError, BeyondScheduleBoundError, type StoredQuota } from '../../../shared/domain/quotas.ts';
import { HttpProblem } from './http-problem.ts';

interface Said {
  /** 507: no room until something is deleted. */
  status: 429 | 507;
  variable: string;
  /** @param limit in the unit of the variable */
  detail: (limit: number) => string;
  retryAfterSeconds?: number;
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 ** 2);

const said: Record<StoredQuota, Said> = {
  openRuns: {
    status: 429,
    variable: 'QUOTA_OPEN_RUNS',
    detail: (limit) => `the account of this campaign has ${limit} runs that have not ended or wait for their start`,
    retryAfterSeconds: 60,
  },
  campaignChanges: {
    status: 429,
    variable: 'QUOTA_CAMPAIGN_CHANGES',
    detail: (limit) => `the keys of this account have made or changed campaigns ${limit} times in 24 hours`,
    retryAfterSeconds: 600,
  },
  lists: {
    status: 507,
    variable: 'QUOTA_LISTS',
    detail: (limit) => `the keys of this account have uploaded ${limit} lists that are there`,
  },
  listBytes: {
    status: 507,
    variable: 'QUOTA_LIST_MIB',
    detail: (limit) => `the lists of this account may hold ${mebibytes(limit)} MiB of user ids`,
  },
  allListBytes: {
    status: 507,
    variable: 'QUOTA_ALL_LISTS_MIB',
    detail: (limit) => `all lists of this installation together may hold ${mebibytes(limit)} MiB of user ids`,
  },
};

export function beyondQuota(error: unknown): HttpProblem | undefined {
  if (error instanceof BeyondScheduleBoundError) return beyondBound(error);
  if (!(error instanceof BeyondQuotaError)) return undefined;
  const { status, variable, detail, retryAfterSeconds } = said[error.quota];
  return new HttpProblem({
    status,
    code: 'quota-exceeded',
    detail: `${detail(error.limit)}, and may have no more (${variable}); GET /v1/quotas shows all of them`,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  });
}

function beyondBound({ bound, message }: BeyondScheduleBoundError): HttpProblem {
  const code = bound === 'maxSchedules' ? 'quota-exceeded' : 'too-many-jobs';
  return new HttpProblem({ status: 429, code, detail: message, headers: { 'retry-after': '60' } });
}
