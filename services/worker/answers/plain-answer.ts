import { compactAnswer, userResult, type UserResult } from '../../../shared/contracts/batch-actions.ts';
import { cleanCode, cleanDetail } from '../../../shared/domain/reasons.ts';
import { z } from 'zod';
import type { Told, ToldFailure } from './told.ts';

/** Only the outside of the full form: an entry that is malformed leaves its user untold, and spoils nothing for the others. */
const fullForm = z.object({ results: z.array(z.unknown()) });

/**
 * Reads an answer of either form by parsing it and comparing sets: the reference for what the fast route may conclude.
 * Undefined when it is neither form.
 */
export function readPlainAnswer(ids: readonly string[], body: string): Told | undefined {
  const answer = parseJson(body);
  const full = fullForm.safeParse(answer);
  if (full.success) return readFull(ids, full.data.results);
  const compact = compactAnswer.safeParse(answer);
  return compact.success ? readCompact(ids, compact.data) : undefined;
}

type Word = { kind: 'succeeded' } | { kind: 'failed'; failure: ToldFailure } | { kind: 'untold' };

function readFull(ids: readonly string[], results: readonly unknown[]): Told {
  const asked = new Set(ids);
  const words = new Map<string, Word>();
  let strangers = 0;
  for (const entry of results) {
    const result = userResult.safeParse(entry).data;
    if (!result) continue;
    if (!asked.has(result.id)) {
      strangers++;
      continue;
    }
    const before = words.get(result.id);
    const word = wordOf(result);
    words.set(result.id, before && !agree(before, word) ? { kind: 'untold' } : word);
  }
  const told: Told = { failed: [], untold: [], strangers };
  for (const id of ids) {
    const word = words.get(id) ?? { kind: 'untold' };
    if (word.kind === 'failed') told.failed.push(word.failure);
    else if (word.kind === 'untold') told.untold.push(id);
  }
  return told;
}

function wordOf(result: UserResult): Word {
  if (result.status === 'succeeded') return { kind: 'succeeded' };
  return result.status === 'failed' ? { kind: 'failed', failure: failureOf(result) } : { kind: 'untold' };
}

/** The same status twice is the same thing told twice, whatever its code; of two retryable words the doubtful one wins. */
function agree(a: Word, b: Word): boolean {
  if (a.kind !== b.kind) return false;
  return a.kind !== 'failed' || b.kind !== 'failed' || a.failure.retryable === b.failure.retryable;
}

function readCompact(ids: readonly string[], answer: z.infer<typeof compactAnswer>): Told {
  const asked = new Set(ids);
  const failed = new Map<string, ToldFailure>();
  let strangers = 0;
  for (const entry of answer.failed) {
    if (asked.has(entry.id)) failed.set(entry.id, failureOf(entry));
    else strangers++;
  }
  const others = ids.filter((id) => !failed.has(id));
  const addsUp = answer.succeeded === others.length;
  return { failed: ids.flatMap((id) => failed.get(id) ?? []), untold: addsUp ? [] : others, strangers };
}

export function failureOf(result: Omit<UserResult, 'status'>): ToldFailure {
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
