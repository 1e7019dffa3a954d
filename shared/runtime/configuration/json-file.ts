import type { z } from 'zod';
import { ConfigurationError } from './configuration-error.ts';
import { withoutPassword } from './database-url.ts';
import { plainWords, problemLine } from './plain-words.ts';
import { readTextFile } from './secrets.ts';

/**
 * Reads and checks a JSON file that a variable names.
 * @throws {ConfigurationError} that names the file, and each wrong field with its value and the expected form
 */
export function readJsonFile<Shape extends z.ZodType>(variable: string, path: string, shape: Shape): z.infer<Shape> {
  const parsed = shape.safeParse(parseJson(variable, path), { error: plainWords, reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(parsed.error.issues.flatMap(linesOf).map((line) => `${path}: ${line}`));
}

function linesOf(issue: z.core.$ZodIssue): string[] {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...issue.path, key].join('.')} is not known here; ${issue.message}`);
  }
  if (issue.code === 'invalid_union') {
    const [nearest = []] = issue.errors.toSorted((a, b) => unknownKeysIn(a) - unknownKeysIn(b));
    if (nearest.length > 0) return nearest.flatMap((each) => linesOf({ ...each, path: [...issue.path, ...each.path] }));
  }
  if (issue.code === 'invalid_key')
    return [`${issue.path.slice(0, -1).join('.')} ${issue.message}, not ${quoted(issue.path.at(-1))}`];
  return [
    problemLine(
      field === '' ? 'the file' : field,
      issue.message,
      issue.input === undefined ? undefined : quoted(issue.input),
    ),
  ];
}

/**
 * Counts the unknown fields. A value that may have several forms is judged as the form that knows most of its fields.
 */
function unknownKeysIn(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0);
}

/** Returns a value for messages: short, and without passwords in URLs. */
export function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = typeof value === 'string' && URL.canParse(value) ? withoutPassword(value) : value;
  const json = JSON.stringify(text);
  return json.length > 100 ? `${json.slice(0, 100)}…` : json;
}

function parseJson(variable: string, path: string): unknown {
  const text = readTextFile(variable, path);
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text unchanged, so the message may contain line breaks.
    const cause = String(error instanceof Error ? error.message : error).replaceAll(/\s+/g, ' ');
    throw new ConfigurationError(`${variable}=${path}: is no JSON: ${cause}`, { cause: error });
  }
}
