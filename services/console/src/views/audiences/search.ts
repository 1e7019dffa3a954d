import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const audienceChoices = ['bad-lines', 'not-used', 'failed'] as const;

export const audienceKinds = ['lists', 'segments', 'saved'] as const;
export type AudienceKind = (typeof audienceKinds)[number];

export const audiencesSearch = z.object({
  /** What is shown; uploaded lists where it is not said. */
  of: z.catch(z.optional(z.enum(audienceKinds)), undefined),
  /** The list, or the saved audience, that is shown; the first one where none is said. */
  id: text,
  text,
  show: z.catch(z.optional(z.enum(audienceChoices)), undefined),
  cursor: text,
});

export type AudiencesSearch = z.infer<typeof audiencesSearch>;
