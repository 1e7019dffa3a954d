import { problemOf } from '../../api/problems.ts';

/** Number of rejected rows that a refused upload asks to accept; null if it was refused for another reason. */
export function rejectedRowsOf(error: unknown): number | null {
  if (error === null) return null;
  const problem = problemOf(error).errors.find(({ pointer }) => pointer === '/acceptRejected');
  const number = /\d+/.exec(problem?.detail ?? '')?.[0];
  return number === undefined ? null : Number(number);
}
