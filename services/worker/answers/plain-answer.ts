import { z } from 'zod';
import { compactAnswer, userResult } from '../../../shared/contracts/batch-actions.ts';
import { cleanCode, cleanDetail } from '../../../shared/domain/reasons.ts';
import type { Told, ToldFailure } from './told.ts';

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
export function readPlainAnswer(ids: readonly string[], body: Buffer): Told | undefined {
  const answer = parseJson(body.toString('utf8'));
  const full = fullForm.safeParse(answer);
  if (full.success) return readFull(ids, full.data.results);
  const compact = compactForm.safeParse(answer);
  return compact.success ? readCompact(ids, compact.data) : undefined;
}

type Word = { kind: 'succeeded' } | { kind: 'failed'; failure: ToldFailure } | { kind: 'untold' };

function readFull(ids: readonly string[], results: readonly unknown[]): Told {
  const entries = results.flatMap((entry) => fullEntry.safeParse(entry).data ?? []);
  const { words, strangers } = collect(
    ids,
    entries.map((entry) => ({ id: entry.id, word: wordOf(entry) })),
  );
  return told(ids, words, { kind: 'untold' }, strangers);
}

/** Whoever is not listed succeeded, if their number is right. If it is not, nobody knows which of them did. */
function readCompact(ids: readonly string[], { succeeded, failed }: z.infer<typeof compactForm>): Told {
  const entries = failed.flatMap((entry) => compactEntry.safeParse(entry).data ?? []);
  const { words, strangers } = collect(
    ids,
    entries.map((entry) => ({ id: entry.id, word: { kind: 'failed', failure: failureOf(entry) } })),
  );
  const addsUp = succeeded === ids.length - words.size;
  return told(ids, words, { kind: addsUp ? 'succeeded' : 'untold' }, strangers);
}

function wordOf(result: z.infer<typeof fullEntry>): Word {
  if (result.status === 'succeeded') return { kind: 'succeeded' };
  return result.status === 'failed' ? { kind: 'failed', failure: failureOf(result) } : { kind: 'untold' };
}

/** One word for each user that the entries speak of; who is told in contradiction is untold. */
function collect(
  ids: readonly string[],
  entries: readonly { id: string; word: Word }[],
): { words: Map<string, Word>; strangers: number } {
  const asked = new Set(ids);
  const words = new Map<string, Word>();
  let strangers = 0;
  for (const { id, word } of entries) {
    const before = words.get(id);
    if (!asked.has(id)) strangers++;
    else if (!before) words.set(id, word);
    else if (!agree(before, word)) words.set(id, { kind: 'untold' });
  }
  return { words, strangers };
}

/** The same status twice is the same thing told twice, whatever its code. To be retried and not to be is a contradiction. */
function agree(a: Word, b: Word): boolean {
  if (a.kind !== 'failed' || b.kind !== 'failed') return a.kind === b.kind;
  return a.failure.retryable === b.failure.retryable;
}

function told(ids: readonly string[], words: ReadonlyMap<string, Word>, unlisted: Word, strangers: number): Told {
  const failed: ToldFailure[] = [];
  const untold: string[] = [];
  for (const id of ids) {
    const word = words.get(id) ?? unlisted;
    if (word.kind === 'failed') failed.push(word.failure);
    else if (word.kind === 'untold') untold.push(id);
  }
  return { failed, untold, strangers };
}

export function failureOf(result: z.infer<typeof compactEntry>): ToldFailure {
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
