import { z } from 'zod';
import { isStorable } from '../domain/ids/stored-text.ts';

/** Why something is asked of a run, as its events and the audit log keep it. */
export const changeReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine(isStorable, 'must hold neither U+0000 nor half a surrogate pair')
  .describe('Why, for whoever looks at the run later');
