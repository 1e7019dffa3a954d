import { z } from 'zod';

const time = z.iso.datetime({ precision: 3 });
const answers = {
  done: z.int().min(0),
  refused: z.int().min(0).describe('Answered by 400 to 499'),
  failed: z.int().min(0).describe('Answered by 500 and more'),
};

export const keyCalls = z
  .object({
    days: z
      .array(z.object({ day: z.iso.date().describe('Of UTC'), ...answers }))
      .describe('Today and the seven days before, the oldest first'),
    operations: z
      .array(
        z.object({
          operation: z.string().describe('Its operationId in this document; none: a path that there is not'),
          ...answers,
          lastAt: time,
        }),
      )
      .describe('Of those days, the one that was called last first'),
  })
  .meta({ id: 'KeyCalls' });

/** HTTP shape of a person with a valid sign-in who was refused access. */
export const refusedPerson = z
  .object({
    issuer: z.string(),
    subject: z.string().describe('`sub` of its tokens'),
    name: z.string().nullable().describe('As its token says it; null where it does not'),
    code: z
      .enum(['no-role', 'shut-out'])
      .describe('no-role: its token grants nothing here; shut-out: an operator has ended it'),
    detail: z.string().describe('The sentence that it was answered last'),
    count: z.int().min(1).describe('Since it was let in last; those of the last minute may be missing'),
    firstAt: time,
    lastAt: time,
    lastFrom: z.string().nullable().describe('The address that connected, a proxy’s where one stands before the API'),
    keyId: z.string().nullable().describe('key_…, its row among the keys; null: it never came in'),
    isInAgain: z.boolean().describe('It was let in after it was refused last, by its token or by an operator'),
    mayBeLetIn: z
      .boolean()
      .describe(
        'It is shut out and was not revoked: `PATCH /v1/api-keys/{keyId}` with `{"expiresAt": null}` lets it in',
      ),
  })
  .meta({ id: 'RefusedPerson' });

export type RefusedPersonShape = z.output<typeof refusedPerson>;
