import { z } from 'zod';

export const fieldProblem = z.object({
  pointer: z.string().describe('JSON pointer (RFC 6901) to the field, or to the query parameter'),
  code: z.string(),
  detail: z.string().describe('The value and what is expected instead'),
});

export type FieldProblem = z.infer<typeof fieldProblem>;
