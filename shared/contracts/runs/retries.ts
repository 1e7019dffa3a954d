import { z } from 'zod';
import { countryPattern } from '../../domain/endpoint/shard.ts';
import { textShape } from '../stored-texts.ts';

const reason = textShape(200, 1);

export const retryRequest = z
  .strictObject({
    reasons: z.array(reason).min(1).max(100).optional().describe('Only users that failed for one of these reasons'),
    steps: z
      .array(z.int().min(1).max(20))
      .min(1)
      .max(20)
      .optional()
      .describe('Only users that failed in one of these steps'),
    actions: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(20)
      .optional()
      .describe('Only users that failed in a step with one of these action types'),
    countries: z.array(z.string().regex(countryPattern)).min(1).max(250).optional(),
    deadlineSeconds: z
      .int()
      .min(60)
      .max(30 * 86_400)
      .optional()
      .describe('Seconds from now. Default: that of the campaign'),
    preview: z.boolean().default(false).describe('true: only counts; creates no run'),
  })
  .meta({ id: 'RetryRequest', examples: [{ reasons: ['out-of-stock'], preview: true }] });

export type RetryRequest = z.infer<typeof retryRequest>;

export const retryAnswer = z
  .object({
    preview: z.boolean(),
    parentRunId: z.string(),
    runId: z.string().nullable().describe('Created run; null for a preview'),
    users: z.int().min(0),
    groups: z.array(
      z.object({
        step: z.int().min(1),
        action: z.string(),
        country: z.string(),
        reason: z.string(),
        users: z.int().min(0),
      }),
    ),
    links: z.object({ self: z.string().nullable() }),
  })
  .meta({ id: 'Retry', description: 'Users to retry by step, country and reason' });

export type RetryAnswer = z.infer<typeof retryAnswer>;
