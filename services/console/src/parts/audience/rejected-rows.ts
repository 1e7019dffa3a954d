import { problemOf } from '../../api/problems.ts';

/**
 * Returns the number of rejected rows that the user has to accept; null if the upload was refused for another reason.
 */
export function rejectedRowsOf(error: unknown): number | null {
  if (error === null) return null;
  const problem = problemOf(error).errors.find(({ pointer }) => pointer === '/acceptRejected');
  const number = /\d+/.exec(problem?.detail ?? '')?.[0];
  return number === undefined ? null : Number(number);
}
