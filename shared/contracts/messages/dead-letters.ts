import { z } from 'zod';

/** `kept`: no person has decided. `replaying`: it is about to be published again. */
export const deadLetterStates = ['kept', 'replaying', 'replayed', 'discarded'] as const;

export type DeadLetterState = (typeof deadLetterStates)[number];

const time = z.iso.datetime({ precision: 3 });

/** HTTP shape of a message that was set aside. */
export const deadLetterShape = z
  .object({
    id: z.string(),
    topic: z.string(),
    partition: z.int(),
    offset: z.int(),
    reason: z.string().describe('Why it could not be served'),
    state: z.enum(deadLetterStates),
    replays: z.int().describe('How often it was published again'),
    bytes: z.int(),
    createdAt: time,
    settledAt: time.nullable().describe('When it was replayed or discarded'),
  })
  .meta({ id: 'DeadLetter' });

export type DeadLetterShape = z.infer<typeof deadLetterShape>;

const bytesShape = z.object({
  encoding: z.enum(['text', 'base64']).describe('text where all of it is UTF-8 without control characters'),
  content: z.string(),
});

export const deadLetterContent = deadLetterShape
  .extend({
    key: bytesShape.nullable(),
    value: bytesShape.nullable(),
    cut: z.boolean().describe('true where only the first 64 KiB of the value are shown'),
  })
  .meta({ id: 'DeadLetterContent' });

export const deadLetterGroup = z
  .object({
    topic: z.string(),
    reason: z.string(),
    letters: z.int(),
    firstAt: time,
    lastAt: time,
  })
  .meta({ id: 'DeadLetterGroup' });

/** Which of them a verb is for. */
export const deadLetterSelection = z.strictObject({
  topic: z.string().min(1).max(249).optional(),
  reason: z.string().min(1).max(500).optional(),
});

export const settledLetters = z.object({ letters: z.int().describe('How many it was done to') });
