import { z } from 'zod';
import { compactAnswer, userResult } from '../../../shared/contracts/endpoints/batch-actions.ts';
import { cleanCode, cleanDetail } from '../../../shared/domain/step/reasons.ts';
import type { UserResults, FailedResult } from './user-results.ts';

/**
 * Schema of the full form of an answer. It covers only the outer part, so that a malformed entry does not affect the
 * others. An entry needs a valid id and status. Other malformed fields count as absent, as the nulls do that many
 * serializers write.
 */
const fullForm = z.object({ results: z.array(z.unknown()) });
const compactForm = compactAnswer.extend({ failed: z.array(z.unknown()) });
const compactEntry = z.object({
  id: userResult.shape.id,
  code: userResult.shape.code.catch(undefined),
  message: userResult.shape.message.catch(undefined),
  retryable: userResult.shape.retryable.catch(undefined),
});
const fullEntry = compactEntry.extend({ status: userResult.shape.status });

/**
 * Parses an answer in the full or the compact form. This is the general parser; the fast one (`readExpectedAnswer`)
 * must return the same. Returns undefined if the answer has neither form.
 */
export function readPlainAnswer(ids: readonly string[], body: Buffer): UserResults | undefined {
  const answer = parseJson(body.toString('utf8'));
  const full = fullForm.safeParse(answer);
  if (full.success) return readFull(ids, full.data.results);
  const compact = compactForm.safeParse(answer);
  return compact.success ? readCompact(ids, compact.data) : undefined;
}

type UserStatus = { kind: 'succeeded' } | { kind: 'failed'; failure: FailedResult } | { kind: 'missing' };

function readFull(ids: readonly string[], results: readonly unknown[]): UserResults {
  const entries = results.flatMap((entry) => fullEntry.safeParse(entry).data ?? []);
  const { statuses, counts } = collect(
    ids,
    entries.map((entry) => ({ id: entry.id, status: statusOf(entry) })),
  );
  return resultsOf(ids, statuses, { kind: 'missing' }, counts);
}

/**
 * Reads the compact form. If the numbers add up, users that are not listed as failed have succeeded; otherwise these
 * users are missing.
 */
function readCompact(ids: readonly string[], { succeeded, failed }: z.infer<typeof compactForm>): UserResults {
  const entries = failed.flatMap((entry) => compactEntry.safeParse(entry).data ?? []);
  const { statuses, counts } = collect(
    ids,
    entries.map((entry) => ({ id: entry.id, status: { kind: 'failed', failure: failureOf(entry) } })),
  );
  const addsUp = succeeded === ids.length - statuses.size;
  return resultsOf(ids, statuses, { kind: addsUp ? 'succeeded' : 'missing' }, counts);
}

function statusOf(result: z.infer<typeof fullEntry>): UserStatus {
  if (result.status === 'succeeded') return { kind: 'succeeded' };
  return result.status === 'failed' ? { kind: 'failed', failure: failureOf(result) } : { kind: 'missing' };
}

type Counts = Pick<UserResults, 'unexpected' | 'repeated'>;

/** Returns the status of each user in the entries. A user with contradictory entries is missing. */
function collect(
  ids: readonly string[],
  entries: readonly { id: string; status: UserStatus }[],
): { statuses: Map<string, UserStatus>; counts: Counts } {
  const requested = new Set(ids);
  const statuses = new Map<string, UserStatus>();
  const counts = { unexpected: 0, repeated: 0 };
  for (const { id, status } of entries) {
    const before = statuses.get(id);
    if (!requested.has(id)) {
      counts.unexpected++;
      continue;
    }
    if (before) counts.repeated++;
    if (!before) statuses.set(id, status);
    else if (!agree(before, status)) statuses.set(id, { kind: 'missing' });
  }
  return { statuses, counts };
}

/** Returns true if two entries of a user have the same status and agree on whether to retry. Their codes may differ. */
function agree(a: UserStatus, b: UserStatus): boolean {
  if (a.kind !== 'failed' || b.kind !== 'failed') return a.kind === b.kind;
  return a.failure.retryable === b.failure.retryable;
}

function resultsOf(
  ids: readonly string[],
  statuses: ReadonlyMap<string, UserStatus>,
  unlisted: UserStatus,
  counts: Counts,
): UserResults {
  const failed: FailedResult[] = [];
  const missing: string[] = [];
  for (const id of ids) {
    const status = statuses.get(id) ?? unlisted;
    if (status.kind === 'failed') failed.push(status.failure);
    else if (status.kind === 'missing') missing.push(id);
  }
  return { failed, missing, ...counts };
}

export function failureOf(result: z.infer<typeof compactEntry>): FailedResult {
  return {
    id: result.id,
    code: cleanCode(result.code ?? ''),
    detail: result.message === undefined ? null : cleanDetail(result.message),
    retryable: result.retryable ?? false,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
