import { hash } from 'node:crypto';
import { z } from 'zod';
import { HttpProblem, quoted } from './http-problem.ts';
import type { Redefined } from './redefined.port.ts';

/** For routes that change what looks as the caller has seen it; other headers pass. */
export const ifMatchHeaders = z.looseObject({
  'if-match': z.string().optional().describe('The ETag that it was shown with: 412 where it has changed since'),
});

/** Of what is counted in revisions. */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** Of what has no revision: changes with what is shown. */
export function etagOf(shown: object): string {
  return `"${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 27)}"`;
}

/** The tags that a request names; null where it takes any. */
function tagsIn(ifMatch: string | undefined): string[] | null {
  const tags = ifMatch?.split(',').map((tag) => tag.trim());
  return tags === undefined || tags.includes('*') ? null : tags;
}

/**
 * Refuses a change of what looks different from what the caller has seen.
 * @throws {HttpProblem} 412
 */
export function requireMatch(ifMatch: string | undefined, shown: object): void {
  const wanted = tagsIn(ifMatch);
  const etag = etagOf(shown);
  if (wanted === null || wanted.includes(etag)) return;
  throw outdated(`it has changed since: its ETag is ${etag} now, not ${wanted.join(', ').slice(0, 200)}`);
}

/**
 * The revision that a request expects; null where it takes any.
 * @throws {HttpProblem} 412 where it is none that there could be
 */
export function expectedRevision(ifMatch: string | undefined): number | null {
  const wanted = tagsIn(ifMatch);
  if (wanted === null) return null;
  const [tag = '', ...others] = wanted;
  const [, revision] = /^"(\d{1,9})"$/.exec(others.length === 0 ? tag : '') ?? [];
  if (revision === undefined) throw outdated(`If-Match ${quoted(ifMatch)} is no ETag of this resource`);
  return Number(revision);
}

export function outdated(detail: string): HttpProblem {
  return new HttpProblem({ status: 412, code: 'precondition-failed', detail });
}

interface ChangeSteps<Subject, Outcome> {
  /** Throws where there is none, or it may not be changed. */
  look: () => Promise<Subject>;
  /** `outdated` where it is no longer as it was looked at. */
  change: (before: Subject) => Promise<Outcome>;
  /** As a person knows it. */
  nameOf: (subject: Subject) => string;
}

/**
 * Changes what it has looked at. Another request may change it between look and write: then its newest state is looked
 * at again.
 * @param expected revision; null for whatever it is
 * @throws {HttpProblem} 412, and what the steps throw
 */
export async function changeRevised<Subject extends { revision: number }, Outcome extends { kind: string }>(
  expected: number | null,
  { look, change, nameOf }: ChangeSteps<Subject, Outcome>,
): Promise<Exclude<Outcome, { kind: 'outdated' }>> {
  for (;;) {
    const before = await look();
    if (expected !== null && expected !== before.revision) throw revisedSince(nameOf(before), before.revision);
    const outcome = await change(before);
    if (isDecided(outcome)) return outcome;
  }
}

/** @throws {HttpProblem} 412 where another change came before */
export function requireWritten<Kept extends { revision: number }>(
  name: string,
  { isWritten, record }: Redefined<Kept>,
): Kept {
  if (!isWritten) throw revisedSince(name, record.revision);
  return record;
}

export function revisedSince(name: string, revision: number): HttpProblem {
  return outdated(`${name} is at revision ${revision} by now: look at it, and say it anew`);
}

function isDecided<Outcome extends { kind: string }>(
  outcome: Outcome,
): outcome is Exclude<Outcome, { kind: 'outdated' }> {
  return outcome.kind !== 'outdated';
}
