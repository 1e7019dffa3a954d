import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import { quoted } from '../http-problem.ts';
import { pointerOf } from './json-pointer.ts';

export const unstorableText = 'unstorable-text';

const maxProblems = 100;

/**
 * Returns a problem for each text inside a value that contains U+0000 or half of a surrogate pair. Postgres can neither
 * store nor look up such a text, so the API refuses it before the handler of the route runs. The search is recursive,
 * so the caller must bound the depth of the value.
 */
export function unstorableTexts(value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  visit(value, [], problems);
  return problems;
}

function visit(value: unknown, path: readonly string[], problems: FieldProblem[]): void {
  if (problems.length >= maxProblems) return;
  if (typeof value === 'string') note(value, path, problems);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    note(key, path, problems);
    visit(inner, [...path, key], problems);
  }
}

function note(text: string, path: readonly string[], problems: FieldProblem[]): void {
  if (problems.length >= maxProblems || isStorable(text)) return;
  const detail = `${quoted(text)} contains U+0000 or half of a surrogate pair, which texts must not contain`;
  problems.push({ pointer: pointerOf(path), code: unstorableText, detail });
}

/** Returns true if a JSON text may contain such texts. JSON in UTF-8 can write them only as escape sequences. */
export function mayHoldUnstorable(json: string): boolean {
  return /\\u(?:0000|[dD][89a-fA-F])/.test(json);
}
