import { z } from 'zod';

/** HTTP shape of the audit log. */
export const auditRecord = z
  .object({
    id: z.string(),
    at: z.iso.datetime({ precision: 3 }),
    keyId: z.string().nullable(),
    keyName: z.string().nullable(),
    method: z.string(),
    route: z.string(),
    subject: z.string().nullable().describe('The id, or the name, of what was changed'),
    status: z.int().describe('2xx: it was done; 409: the state of what was to be changed refused it'),
    requestId: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Change', description: 'A change through the API: who, what, when, and how it ended' });

export type AuditRecordShape = z.infer<typeof auditRecord>;
