import { z } from 'zod';

const hashShape = z.string().regex(/^[0-9a-f]{64}$/u);

export const auditRecord = z
  .object({
    id: z.string(),
    number: z.int().min(1).describe('Sequence number, without gaps'),
    hash: hashShape.describe('SHA-256 over the hash of the previous entry and the content of this one'),
    at: z.iso.datetime({ precision: 3 }),
    keyId: z.string().nullable(),
    keyName: z.string().nullable(),
    method: z.string(),
    route: z.string(),
    summary: z
      .string()
      .describe(
        'The requested change in words, such as: paused a run. Programs should use `method` and `route`, which are stable',
      ),
    subject: z.string().nullable().describe('Id or name of the changed resource'),
    status: z.int().describe('2xx: the change was made; 409: the state of the resource does not allow it'),
    requestId: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Change', description: 'A change through the API: caller, change, time and result' });

const chainPlace = z.object({ number: z.int().min(0), hash: hashShape });

export const auditVerification = z
  .object({
    checked: z.int().min(0).describe('Entries'),
    from: chainPlace.describe(
      'Entry before the first checked one. Number 0 with a hash of zeros: the check begins with the first entry of the log',
    ),
    cut: chainPlace.describe('Last deleted entry; the log begins after it. Number 0: nothing was deleted'),
    to: chainPlace.describe(
      'Last valid entry. If you store it outside of Muster, you can check later that the log up to it is unchanged',
    ),
    head: chainPlace.describe('Newest entry'),
    next: z
      .int()
      .nullable()
      .describe('Number to pass as `after` to check the entries that follow; null: all entries were checked'),
    broken: z
      .object({
        number: z.int().min(0),
        what: z.enum(['changed', 'missing', 'added']),
        because: z.string(),
      })
      .nullable()
      .describe('First entry that was changed after it was added'),
  })
  .meta({ id: 'AuditVerification', description: 'Result of checking that entries of the audit log are unchanged' });

export type AuditRecordShape = z.infer<typeof auditRecord>;
