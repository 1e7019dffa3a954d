import { z } from 'zod';
import { heavyKinds, storedQuotas } from '../../domain/quotas.ts';

export const quotaNames = [...storedQuotas, 'streams', ...heavyKinds] as const;

export const quotaShape = z
  .object({
    name: z
      .enum(quotaNames)
      .describe(
        'openRuns: runs that have not ended, and campaigns that wait for their start or recur. campaignChanges: campaigns made or changed in 24 hours. ' +
          'lists: uploaded lists that are there; listBytes: of user ids in them; allListBytes: the same of all accounts together. ' +
          'streams: of events, open in the process that was asked. exports, uploads, reports, previews: under way at once, in the process that was asked',
      ),
    used: z.int().min(0),
    limit: z.int().min(1).describe('What would be more is refused: 429, or 507 for what is stored'),
  })
  .meta({ id: 'Quota' });

export const quotaList = z
  .object({
    account: z
      .string()
      .describe(
        'key_…: what its keys have is counted together: itself, and those that were made from it under a scope',
      ),
    items: z.array(quotaShape),
  })
  .meta({ id: 'QuotaList' });
