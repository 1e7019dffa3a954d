import { z } from 'zod';

/** What does not keep a campaign from being made or started, and should be looked at all the same. */
export const warning = z
  .object({ pointer: z.string(), code: z.string(), detail: z.string() })
  .meta({ id: 'Warning', description: 'Nothing was refused for it' });

export type Warning = z.infer<typeof warning>;
