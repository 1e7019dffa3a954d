import { hash } from 'node:crypto';
import { HttpProblem } from './http-problem.ts';

/** Changes with what is shown. */
export function etagOf(shown: object): string {
  return `"${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 27)}"`;
}

/**
 * Refuses a change of what looks different from what the caller has seen.
 * @param ifMatch the header: tags with commas between them, or `*`
 * @throws {HttpProblem} 412
 */
export function requireMatch(ifMatch: string | undefined, shown: object): void {
  if (ifMatch === undefined) return;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  const etag = etagOf(shown);
  if (wanted.includes('*') || wanted.includes(etag)) return;
  const detail = `it has changed since: its ETag is ${etag} now, not ${wanted.join(', ').slice(0, 200)}`;
  throw new HttpProblem({ status: 412, code: 'precondition-failed', detail });
}
