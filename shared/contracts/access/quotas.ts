import { z } from 'zod';
import { heavyKinds, storedQuotas } from '../../domain/quotas.ts';

export const quotaNames = [...storedQuotas, 'streams', ...heavyKinds] as const;

export const quotaShape = z
  .object({
    name: z
      .enum(quotaNames)
      .describe(
        'openRuns: runs that have not ended, and campaigns that are scheduled or recur. campaignChanges: campaigns created or changed in 24 hours. ' +
          'lists: stored uploaded lists; listBytes: bytes of their user ids; allListBytes: the same for all accounts together. ' +
          'streams: open event streams of the process that answers. exports, uploads, reports, previews: in progress at once in the process that answers',
      ),
    used: z.int().min(0),
    limit: z.int().min(1).describe('Requests above the limit are refused with 429, or 507 for stored data'),
  })
  .meta({ id: 'Quota' });

export const quotaList = z
  .object({
    account: z
      .string()
      .describe(
        'key_… of the account: usage is counted for this key together with the keys created from it under a scope',
      ),
    items: z.array(quotaShape),
  })
  .meta({ id: 'QuotaList' });
