import { z } from 'zod';
import { countryPattern } from '../../domain/endpoint/shard.ts';

/** HTTP shapes of delivery receipts (docs/optional-contracts.md). */

export const maxReceipts = 1000;

const step = z.int().min(1).max(20);
const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');
const time = z.iso.datetime({ precision: 3 });

const userFields = {
  user: z.string().max(1024).describe('User id as sent in the call'),
  status: z.enum(['delivered', 'undelivered']),
  code: z
    .string()
    .nullish()
    .describe('Code of the provider, usually the reason of a failure; stored like codes of answers'),
  at: z.iso
    .datetime({ offset: true })
    .describe('Time of the delivery or failure. If a user has several receipts, the newest counts'),
};

/** A receipt that names a run and a step. Unknown fields are ignored, as in answers. */
export const receiptOfRun = z.object({
  run: z.string().describe('run_… from the call'),
  step,
  country: country.nullish().describe('Country from the call. Without it, all countries of the run are searched'),
  ...userFields,
});

/** A receipt that names its call by the `Idempotency-Key`, which is cheaper than run and step. */
export const receiptOfCall = z.object({
  key: z.string().max(100).describe('Idempotency-Key of the call'),
  ...userFields,
});

export const receiptsRequest = z
  .object({ receipts: z.array(z.union([receiptOfCall, receiptOfRun])).max(maxReceipts) })
  .meta({
    id: 'Receipts',
    examples: [
      {
        receipts: [
          { key: 'the Idempotency-Key of the call', user: 'u1', status: 'delivered', at: '2026-12-01T09:00:00Z' },
        ],
      },
    ],
    description: 'Delivery receipts, in any order and as often as you like',
  });

/**
 * Problems of receipts that were not accepted.
 * - Unreadable: `malformed`, `invalid-key` (`key` is no `Idempotency-Key` of ours), `invalid-time` (`at` is before 2000
 *   or more than a day ahead). The other receipts of the request are accepted.
 * - `unknown-run`, `unknown-step`, `unknown-user`: there is no such run, step or user in it.
 * - `other-action-type`: the step's action type is not the one whose secret signs the request.
 * - `not-kept`: retention has deleted the run's users.
 */
export const receiptProblems = [
  'malformed',
  'invalid-key',
  'invalid-time',
  'unknown-run',
  'unknown-step',
  'unknown-user',
  'other-action-type',
  'not-kept',
] as const;

const users = z.int().min(0);

export const receiptsAnswer = z
  .object({
    accepted: users.describe('Receipts stored and counted, including repeated and late ones'),
    unknown: users.describe('Receipts for unknown users'),
    refused: users.describe('Not readable'),
    problems: z
      .array(z.object({ index: z.int().min(0), code: z.enum(receiptProblems), detail: z.string() }))
      .describe('Each receipt that was not accepted, by its index in the request, from 0'),
  })
  .meta({ id: 'ReceiptsAnswer' });

export type ReceiptsAnswer = z.infer<typeof receiptsAnswer>;

export type ReceiptProblem = ReceiptsAnswer['problems'][number];

export const userReceipt = z
  .object({
    userId: z.string(),
    step,
    country: z.string(),
    status: z.enum(['delivered', 'undelivered']),
    code: z.string().nullable(),
    at: time,
    receivedAt: time,
  })
  .meta({ id: 'UserReceipt' });

export type UserReceipt = z.infer<typeof userReceipt>;
