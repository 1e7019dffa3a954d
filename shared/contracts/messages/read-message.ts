import type { z } from 'zod';

/** A message as it was meant, or why it cannot be: the field and what is wrong with it, for people. */
export type ReadMessage<T> = { ok: true; message: T } | { ok: false; reason: string };

const maxShownValue = 60;

/** Reads a message of a topic. Never throws; what is not JSON has a reason as well. */
export function readMessage<T>(shape: z.ZodType<T>, value: Buffer | null): ReadMessage<T> {
  if (value === null) return { ok: false, reason: 'it has no value' };
  let content: unknown;
  try {
    content = JSON.parse(value.toString('utf8'));
  } catch {
    return { ok: false, reason: `not JSON: ${shown(value.toString('utf8', 0, 4 * maxShownValue))}` };
  }
  const read = shape.safeParse(content);
  if (read.success) return { ok: true, message: read.data };
  const [issue] = read.error.issues;
  if (!issue) return { ok: false, reason: 'it has another shape' };
  const field = issue.path.join('.');
  const found = valueAt(content, issue.path);
  const what = `${issue.message} (found ${found === undefined ? 'nothing' : shown(JSON.stringify(found))})`;
  return { ok: false, reason: field === '' ? what : `${field}: ${what}` };
}

function valueAt(content: unknown, path: readonly PropertyKey[]): unknown {
  let found = content;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = new Map(Object.entries(found)).get(String(key));
  }
  return found;
}

/** Short, and without what a log or Postgres cannot keep. */
function shown(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const clean = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
  return clean.length > maxShownValue ? `${clean.slice(0, maxShownValue).toWellFormed()}…` : clean;
}
