import { z } from 'zod';

const time = z.iso.datetime({ precision: 3 });
const answers = {
  done: z.int().min(0),
  refused: z.int().min(0).describe('Requests answered with 400 to 499'),
  failed: z.int().min(0).describe('Requests answered with 500 or above'),
};

export const keyCalls = z
  .object({
    days: z
      .array(z.object({ day: z.iso.date().describe('Of UTC'), ...answers }))
      .describe('Today and the seven days before, oldest first'),
    operations: z
      .array(
        z.object({
          operation: z.string().describe('operationId in this document; null: the path does not exist'),
          ...answers,
          lastAt: time,
        }),
      )
      .describe('Operations called in these days, the most recently called first'),
  })
  .meta({ id: 'KeyCalls' });

/** HTTP shape of a person with a valid sign-in who was refused access. */
export const refusedPerson = z
  .object({
    issuer: z.string(),
    subject: z.string().describe('`sub` of its tokens'),
    name: z.string().nullable().describe('From the token; null if the token does not contain it'),
    code: z
      .enum(['no-role', 'shut-out'])
      .describe('no-role: the token grants no role here; shut-out: an operator has ended the access'),
    detail: z.string().describe('Message of the last refusal'),
    count: z
      .int()
      .min(1)
      .describe('Refused requests since the last accepted one; those of the last minute may be missing'),
    firstAt: time,
    lastAt: time,
    lastFrom: z
      .string()
      .nullable()
      .describe('Address that connected: the proxy’s if there is a proxy in front of the API'),
    keyId: z.string().nullable().describe('key_…, its entry in the list of keys; null: no request was ever accepted'),
    isInAgain: z.boolean().describe('true: a request was accepted after the last refusal'),
    mayBeLetIn: z
      .boolean()
      .describe(
        'true: access was ended but not revoked; `PATCH /v1/api-keys/{keyId}` with `{"expiresAt": null}` restores it',
      ),
  })
  .meta({ id: 'RefusedPerson' });

export type RefusedPersonShape = z.output<typeof refusedPerson>;
