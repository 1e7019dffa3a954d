import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const actionTypeChoices = ['trouble', 'off', 'checks'] as const;

export const actionTypesSearch = z.object({
  /** Name of the action type that is shown beside the list. Default: the first type in the list. */
  name: text,
  text,
  show: z.catch(z.optional(z.enum(actionTypeChoices)), undefined),
});

export type ActionTypesSearch = z.infer<typeof actionTypesSearch>;
