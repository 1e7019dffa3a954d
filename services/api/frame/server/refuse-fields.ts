import { z } from 'zod';
import { invalidRequest } from '../http-problem.ts';
import { checkShape } from './check-shape.ts';

/**
 * Checks that a request without content has no body, or an empty object.
 * @throws {HttpProblem} 422
 */
export function refuseFields(body: unknown): void {
  const checked = checkShape(z.strictObject({}).optional(), body);
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
}
