import { z } from 'zod';
import { roles } from '../../../shared/domain/roles.ts';

/** One thing that is wrong with a request. */
export const fieldProblem = z.object({
  pointer: z.string().describe('JSON pointer (RFC 6901) to the field, or to the query parameter'),
  code: z.string(),
  detail: z.string().describe('The value, and what would be right'),
});

export type FieldProblem = z.infer<typeof fieldProblem>;

/** Every answer from 400 on (RFC 9457, `application/problem+json`). */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('Stable: programs decide by this'),
    errors: z.array(fieldProblem).describe('All that is wrong with the request; empty where no field is to blame'),
    requestId: z.string(),
    requiredRole: z.enum(roles).optional().describe('Of 403 forbidden: the role that may'),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problem>;
