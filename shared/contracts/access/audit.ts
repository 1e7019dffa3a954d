import { z } from 'zod';

const hashShape = z.string().regex(/^[0-9a-f]{64}$/u);

export const auditRecord = z
  .object({
    id: z.string(),
    number: z.int().min(1).describe('In the order in which they were added, without a gap'),
    hash: hashShape.describe('SHA-256 over the hash before it and what it says'),
    at: z.iso.datetime({ precision: 3 }),
    keyId: z.string().nullable(),
    keyName: z.string().nullable(),
    method: z.string(),
    route: z.string(),
    summary: z
      .string()
      .describe('What was asked for, in words: paused a run. `method` and `route` say the same for programs, and stay'),
    subject: z.string().nullable().describe('The id, or the name, of what was changed'),
    status: z.int().describe('2xx: it was done; 409: the state of what was to be changed refused it'),
    requestId: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Change', description: 'A change through the API: who, what, when, and how it ended' });

const chainPlace = z.object({ number: z.int().min(0), hash: hashShape });

export const auditVerification = z
  .object({
    checked: z.int().min(0).describe('Entries'),
    from: chainPlace.describe(
      'The place behind which the checked entries begin. Number 0 with a hash of zeros: before the first entry of all',
    ),
    cut: chainPlace.describe(
      'The last entry that is not kept any more. The log begins behind it; number 0: nothing was deleted',
    ),
    to: chainPlace.describe('The last entry that fits. Kept elsewhere, it shows later whether it is still the same'),
    head: chainPlace.describe('The last entry that was added'),
    next: z.int().nullable().describe('To ask for the entries behind it, with `after`; null: that was all'),
    broken: z
      .object({
        number: z.int().min(0),
        what: z.enum(['changed', 'missing', 'added']),
        because: z.string(),
      })
      .nullable()
      .describe('The first entry that is not as it was added'),
  })
  .meta({ id: 'AuditVerification', description: 'Whether entries of the audit log are as they were added' });

export type AuditRecordShape = z.infer<typeof auditRecord>;
