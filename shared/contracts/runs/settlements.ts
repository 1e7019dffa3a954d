import { z } from 'zod';
import { countryPattern } from '../../domain/endpoint/shard.ts';

const step = z.int().min(1).max(20);
const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');
const code = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'has to be at most 64 of A–Z a–z 0–9 . _ -')
  .describe('Reason of the failure, as the endpoint would report it');

export const settledFields = {
  userId: z.string().min(1).max(1024),
  step,
  outcome: z.enum(['succeeded', 'failed']),
  code: code.optional(),
};

export const settleRequest = z
  .discriminatedUnion('by', [
    z.strictObject({ by: z.literal('hand'), ...settledFields, country: country.optional() }),
    z.strictObject({ by: z.literal('status'), step: step.optional(), country: country.optional() }),
  ])
  .meta({
    id: 'SettleRequest',
    examples: [{ by: 'hand', userId: 'u1', step: 1, outcome: 'succeeded' }],
    description: 'hand: settles one user; status: requests the outcomes from the status endpoints (class C)',
  });

/** A rejected line. `line` counts from 1; `userId` contains as much as could be read. */
const rejectedLine = z.object({ line: z.int().min(1), userId: z.string().nullable(), rule: z.string() });

export type RejectedLineShape = z.infer<typeof rejectedLine>;

export const settlement = z
  .object({
    settlementId: z.string(),
    runId: z.string(),
    by: z.enum(['hand', 'file', 'status']),
    /**
     * `running`: some users are not processed yet. `failed`: the settlement could not continue; settled users stay
     * settled.
     */
    state: z.enum(['running', 'done', 'failed']),
    cause: z.string().nullable(),
    step: step.nullable(),
    country: z.string().nullable(),
    settled: z.object({ succeeded: z.int().min(0), failed: z.int().min(0) }),
    leftUnknown: z.int().min(0),
    rejected: z.int().min(0),
    /** First thousand rejected lines. */
    rejects: z.array(rejectedLine),
    requestedBy: z.object({ keyId: z.string(), name: z.string() }).nullable(),
    createdAt: z.iso.datetime({ precision: 3 }),
    endedAt: z.iso.datetime({ precision: 3 }).nullable(),
  })
  .meta({ id: 'Settlement' });

export type SettlementShape = z.infer<typeof settlement>;
