import { z } from 'zod';

/** A finding that does not refuse the request, and that a person should read before a campaign starts. */
export const warning = z
  .object({ pointer: z.string(), code: z.string(), detail: z.string() })
  .meta({ id: 'Warning', description: 'Warnings do not affect the result' });

export type Warning = z.infer<typeof warning>;
