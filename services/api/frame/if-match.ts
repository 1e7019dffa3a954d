import { hash } from 'node:crypto';
import { z } from 'zod';
import { HttpProblem, quoted } from './http-problem.ts';
import type { Redefinition } from './redefinition.port.ts';

/**
 * Headers of routes that change an object only if it still is as the caller has read it. Other headers are accepted.
 */
export const ifMatchHeaders = z.looseObject({
  'if-match': z.string().optional().describe('ETag of the last read; 412 if the resource has changed since'),
});

/** Returns the ETag of a resource with revisions. */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** Returns the ETag of a resource without revisions, computed from its view. */
export function etagOf(resource: object): string {
  return `"${hash('sha256', JSON.stringify(resource), 'base64url').slice(0, 27)}"`;
}

/** Returns the ETags in a header `If-Match`; null if the request accepts any state. */
function tagsIn(ifMatch: string | undefined): string[] | null {
  const tags = ifMatch?.split(',').map((tag) => tag.trim());
  return tags === undefined || tags.includes('*') ? null : tags;
}

/** Refuses a change if the resource has changed since the caller read it. @throws {HttpProblem} 412 */
export function requireMatch(ifMatch: string | undefined, resource: object): void {
  const wanted = tagsIn(ifMatch);
  const etag = etagOf(resource);
  if (wanted === null || wanted.includes(etag)) return;
  throw outdated(`the resource has changed: its ETag is ${etag} now, not ${wanted.join(', ').slice(0, 200)}`);
}

/**
 * Returns the revision that a request expects; null if it accepts any.
 * @throws {HttpProblem} 412 if the ETag cannot be a revision
 */
export function expectedRevision(ifMatch: string | undefined): number | null {
  const wanted = tagsIn(ifMatch);
  if (wanted === null) return null;
  const [tag = '', ...others] = wanted;
  const [, revision] = /^"(\d{1,9})"$/.exec(others.length === 0 ? tag : '') ?? [];
  if (revision === undefined) throw outdated(`If-Match ${quoted(ifMatch)} is not an ETag of this resource`);
  return Number(revision);
}

export function outdated(detail: string): HttpProblem {
  return new HttpProblem({ status: 412, code: 'precondition-failed', detail });
}

interface ChangeSteps<Subject, Outcome> {
  /** Reads the resource. Throws if it does not exist, or its state forbids changes. */
  read: () => Promise<Subject>;
  /** Writes the change. Returns `outdated` if the resource has changed since `read` returned it. */
  change: (before: Subject) => Promise<Outcome>;
  nameOf: (subject: Subject) => string;
}

/**
 * Changes a resource that has revisions. After a concurrent change, reads the resource again and retries.
 * @param expected revision that the caller expects; null permits any
 * @throws {HttpProblem} 412 for another revision, and the errors of both steps
 */
export async function changeRevised<Subject extends { revision: number }, Outcome extends { kind: string }>(
  expected: number | null,
  { read, change, nameOf }: ChangeSteps<Subject, Outcome>,
): Promise<Exclude<Outcome, { kind: 'outdated' }>> {
  for (;;) {
    const before = await read();
    if (expected !== null && expected !== before.revision) throw revisedSince(nameOf(before), before.revision);
    const outcome = await change(before);
    if (isDecided(outcome)) return outcome;
  }
}

/**
 * Returns the stored object.
 * @throws {HttpProblem} 412 if another change was written first
 */
export function requireWritten<Kept extends { revision: number }>(
  name: string,
  { isWritten, record }: Redefinition<Kept>,
): Kept {
  if (!isWritten) throw revisedSince(name, record.revision);
  return record;
}

/** Refuses a change if the resource has another revision than the request expects. @throws {HttpProblem} 412 */
export function requireRevision(name: string, { revision }: { revision: number }, ifMatch: string | undefined): void {
  const expected = expectedRevision(ifMatch);
  if (expected !== null && expected !== revision) throw revisedSince(name, revision);
}

export function revisedSince(name: string, revision: number): HttpProblem {
  return outdated(`${name} is at revision ${revision} now: read it again and repeat the change`);
}

function isDecided<Outcome extends { kind: string }>(
  outcome: Outcome,
): outcome is Exclude<Outcome, { kind: 'outdated' }> {
  return outcome.kind !== 'outdated';
}
