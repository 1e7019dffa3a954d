import { HttpProblem, quoted } from './http-problem.ts';

export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/**
 * The revision that a request expects by its `If-Match`; null where it takes any.
 * @throws {HttpProblem} 412 where it is none that there could be
 */
export function expectedRevision(ifMatch: string | undefined): number | null {
  if (ifMatch === undefined || ifMatch.trim() === '*') return null;
  const [, revision] = /^"(\d{1,9})"$/.exec(ifMatch.trim()) ?? [];
  if (revision === undefined) throw outdated(`If-Match ${quoted(ifMatch)} is no ETag of this resource`);
  return Number(revision);
}

export function outdated(detail: string): HttpProblem {
  return new HttpProblem({ status: 412, code: 'precondition-failed', detail });
}
