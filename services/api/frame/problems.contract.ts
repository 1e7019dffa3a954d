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
    code: z.string().describe('Stable code for programs'),
    errors: z.array(fieldProblem).describe('All problems of the request; empty if no field caused the problem'),
    requestId: z.string(),
    traceId: z.string().optional().describe('Trace id of a request that belongs to a trace (traceparent)'),
    requiredRole: z.enum(roles).optional().describe('For 403 forbidden: the role that the operation requires'),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problem>;
