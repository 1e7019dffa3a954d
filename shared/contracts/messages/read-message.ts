import type { z } from 'zod';

/** A parsed message, or the reason why it is invalid: the field and its error, for people. */
export type ReadMessage<T> = { ok: true; message: T } | { ok: false; reason: string };

/**
 * Reads a message of a topic. Never throws; a value that is not JSON gives a reason as well. Reasons appear in logs, so
 * they contain only the kind of a value and its length: texts and lists may be ids of users. The dead letter has the
 * message itself.
 */
export function readMessage<T>(shape: z.ZodType<T>, value: Buffer | null): ReadMessage<T> {
  if (value === null) return { ok: false, reason: 'it has no value' };
  let content: unknown;
  try {
    content = JSON.parse(value.toString('utf8'));
  } catch {
    return { ok: false, reason: 'not JSON' };
  }
  const read = shape.safeParse(content);
  if (read.success) return { ok: true, message: read.data };
  const [issue] = read.error.issues;
  if (!issue) return { ok: false, reason: 'it has another shape' };
  const field = issue.path.join('.');
  const problem = `${issue.message} (found ${kindOf(valueAt(content, issue.path))})`;
  return { ok: false, reason: field === '' ? problem : `${field}: ${problem}` };
}

function valueAt(content: unknown, path: readonly PropertyKey[]): unknown {
  let found = content;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = new Map(Object.entries(found)).get(String(key));
  }
  return found;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `a text of ${value.length}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // Numbers, booleans and null cannot be ids, so they may be logged.
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value);
}
