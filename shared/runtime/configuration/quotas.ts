import { z } from 'zod';
import type { Quotas } from '../../domain/quotas.ts';

const most = (usual: number, description: string) =>
  z.coerce.number().int().min(1).max(1_000_000_000).default(usual).describe(description);

/** Quotas of accounts: docs/decisions/0034-access.md. */
export const quotaEnvironment = z.object({
  QUOTA_OPEN_RUNS: most(
    1000,
    'Open or waiting runs of one account. Set the same value for all services; `muster doctor` reports differences',
  ),
  QUOTA_CAMPAIGN_CHANGES: most(10_000, 'Campaigns that an account creates or changes in 24 hours'),
  QUOTA_LISTS: most(1000, 'Uploaded lists of an account'),
  QUOTA_LIST_MIB: most(65_536, 'MiB of user ids in the lists of an account'),
  QUOTA_ALL_LISTS_MIB: most(262_144, 'MiB of user ids in all lists of the installation'),
  QUOTA_STREAMS: most(500, 'Event streams of an account in each process'),
});

const mebibyte = 1024 ** 2;

export function quotasOf(read: z.output<typeof quotaEnvironment>): Quotas {
  return {
    openRuns: read.QUOTA_OPEN_RUNS,
    campaignChanges: read.QUOTA_CAMPAIGN_CHANGES,
    lists: read.QUOTA_LISTS,
    listBytes: read.QUOTA_LIST_MIB * mebibyte,
    allListBytes: read.QUOTA_ALL_LISTS_MIB * mebibyte,
    streams: read.QUOTA_STREAMS,
  };
}

export const usualQuotas = quotasOf(quotaEnvironment.parse({}));
