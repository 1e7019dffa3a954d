import { z } from 'zod';
import { fieldProblem } from '../../../shared/contracts/field-problems.ts';
import { roles } from '../../../shared/domain/roles.ts';

/** Body of each response with a status of 400 or more (RFC 9457, `application/problem+json`). */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('Stable: programs decide by this'),
    errors: z.array(fieldProblem).describe('All that is wrong with the request; empty where no field is to blame'),
    requestId: z.string(),
    traceId: z.string().optional().describe('Of a request that belongs to a trace (traceparent)'),
    requiredRole: z.enum(roles).optional().describe('Of 403 forbidden: the role that may'),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problem>;
