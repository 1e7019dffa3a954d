import { z } from 'zod';
import { compactAnswer, userResult } from '../../../shared/contracts/batch-actions.ts';
import { cleanCode, cleanDetail } from '../../../shared/domain/reasons.ts';
import type { UserResults, FailedResult } from './user-results.ts';

/**
 * Only the outside of the forms: an entry that is malformed spoils nothing for the others. Its id and its status decide; what else of it is
 * malformed counts as absent, as the nulls do that many serializers write.
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
 * Reads an answer of either form by parsing it and comparing sets: the reference for what the fast route may conclude.
 * Undefined when it is neither form.
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
  const { words, unexpected } = collect(
    ids,
    entries.map((entry) => ({ id: entry.id, word: wordOf(entry) })),
  );
  return told(ids, words, { kind: 'missing' }, unexpected);
}

/** Whoever is not listed succeeded, if their number is right. If it is not, nobody knows which of them did. */
function readCompact(ids: readonly string[], { succeeded, failed }: z.infer<typeof compactForm>): UserResults {
  const entries = failed.flatMap((entry) => compactEntry.safeParse(entry).data ?? []);
  const { words, unexpected } = collect(
    ids,
    entries.map((entry) => ({ id: entry.id, word: { kind: 'failed', failure: failureOf(entry) } })),
  );
  const addsUp = succeeded === ids.length - words.size;
  return told(ids, words, { kind: addsUp ? 'succeeded' : 'missing' }, unexpected);
}

function wordOf(result: z.infer<typeof fullEntry>): UserStatus {
  if (result.status === 'succeeded') return { kind: 'succeeded' };
  return result.status === 'failed' ? { kind: 'failed', failure: failureOf(result) } : { kind: 'missing' };
}

/** One word for each user that the entries speak of; who is told in contradiction is missing. */
function collect(
  ids: readonly string[],
  entries: readonly { id: string; word: UserStatus }[],
): { words: Map<string, UserStatus>; unexpected: number } {
  const asked = new Set(ids);
  const words = new Map<string, UserStatus>();
  let unexpected = 0;
  for (const { id, word } of entries) {
    const before = words.get(id);
    if (!asked.has(id)) unexpected++;
    else if (!before) words.set(id, word);
    else if (!agree(before, word)) words.set(id, { kind: 'missing' });
  }
  return { words, unexpected };
}

/** The same status twice is the same thing told twice, whatever its code. To be retried and not to be is a contradiction. */
function agree(a: UserStatus, b: UserStatus): boolean {
  if (a.kind !== 'failed' || b.kind !== 'failed') return a.kind === b.kind;
  return a.failure.retryable === b.failure.retryable;
}

function told(
  ids: readonly string[],
  words: ReadonlyMap<string, UserStatus>,
  unlisted: UserStatus,
  unexpected: number,
): UserResults {
  const failed: FailedResult[] = [];
  const missing: string[] = [];
  for (const id of ids) {
    const word = words.get(id) ?? unlisted;
    if (word.kind === 'failed') failed.push(word.failure);
    else if (word.kind === 'missing') missing.push(id);
  }
  return { failed, missing, unexpected };
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
