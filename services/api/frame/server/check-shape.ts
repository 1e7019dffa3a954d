import { z } from 'zod';
import type { FieldProblem } from '../problems.contract.ts';
import { quoted } from '../http-problem.ts';
import { pointerOf } from './json-pointer.ts';

/** `more`: how many problems there are beyond those listed. */
export type Checked<Value> = { ok: true; value: Value } | { ok: false; problems: FieldProblem[]; more: number };

/** No answer lists more of them; describing 80,000 unknown fields would keep everybody else waiting. */
const maxListed = 100;

/** Everything that keeps a value from having a shape, each with the value found and what would be right. */
export function checkShape<Shape extends z.ZodType>(shape: Shape, value: unknown): Checked<z.output<Shape>> {
  const parsed = shape.safeParse(value, { error: describe, reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const { issues } = parsed.error;
  const problems = issues.slice(0, maxListed).flatMap(problemsOf);
  const all = issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
  return { ok: false, problems, more: all - problems.length };
}

/**
 * Of several shapes that a value may have, the one that it was most likely meant to have: the only one whose fields are
 * all there.
 */
function insideUnion({ path, ...issue }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const isMeant = (issues: readonly z.core.$ZodIssue[]) =>
    issues.every((each) => each.path.length > 0 && !each.message.startsWith(missing));
  const meant = issue.errors.filter(isMeant);
  const [only] = meant.length === 1 ? meant : [];
  return only?.map((each) => ({ ...each, path: [...path, ...each.path] })) ?? [];
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  if (issue.code === 'invalid_union') {
    const inside = insideUnion(issue);
    if (inside.length > 0) return inside.flatMap(problemsOf);
  }
  if (issue.code !== 'unrecognized_keys') {
    return [{ pointer: pointerOf(issue.path), code: codeOf(issue), detail: issue.message }];
  }
  return issue.keys.slice(0, maxListed).map((key) => ({
    pointer: pointerOf([...issue.path, key]),
    code: 'unknown-field',
    detail: `${quoted(key)} is not accepted here; ${issue.message}`,
  }));
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith(missing)) return 'missing';
  switch (issue.code) {
    case 'invalid_type':
      return 'wrong-type';
    case 'too_small':
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? 'wrong-length' : 'out-of-range';
    default:
      return 'invalid-value';
  }
}

const missing = 'is missing';

/**
 * Runs while the value is checked, because only then is the shape at hand that refuses it. What a shape says itself
 * goes first.
 */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return expected(nounOf(issue.expected), issue.input);
    case 'invalid_value':
      return expected(issue.values.map(quoted).join(' or '), issue.input);
    case 'invalid_union':
      return describeUnion(issue);
    case 'invalid_format':
      return expected(issue.format === 'regex' ? `like ${String(issue.pattern)}` : nounOf(issue.format), issue.input);
    case 'too_small':
      return `has to be ${issue.exact ? 'exactly' : 'at least'} ${sized(issue.origin, issue.minimum)}, not ${sizeOf(issue.input)}`;
    case 'too_big':
      return `has to be ${issue.exact ? 'exactly' : 'at most'} ${sized(issue.origin, issue.maximum)}, not ${sizeOf(issue.input)}`;
    case 'unrecognized_keys':
      return issue.inst instanceof z.ZodObject ? knownFields(Object.keys(issue.inst.shape)) : undefined;
    default:
      return undefined;
  }
}

function expected(right: string, found: unknown): string {
  if (found === undefined) return `${missing}: has to be ${right}`;
  // Not a number is all that is left of a query parameter's text.
  return Number.isNaN(found) ? `has to be ${right}` : `has to be ${right}, not ${quoted(found)}`;
}

function nounOf(type: string): string {
  const nouns: Record<string, string> = { int: 'a whole number', array: 'a list', record: 'an object' };
  return nouns[type] ?? (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
}

function describeUnion({ input, discriminator, options }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>) {
  if (discriminator === undefined || !Array.isArray(options)) return undefined;
  const fields: [string, unknown][] = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const found = new Map(fields).get(discriminator);
  return expected(options.map(quoted).join(' or '), found);
}

function sized(origin: string, bound: number | bigint): string {
  if (origin === 'string') return `${bound} character${bound === 1 ? '' : 's'} long`;
  if (origin === 'array') return `${bound} item${bound === 1 ? '' : 's'} long`;
  return String(bound);
}

function sizeOf(value: unknown): string {
  return Array.isArray(value) || typeof value === 'string' ? String(value.length) : quoted(value);
}

function knownFields(names: readonly string[]): string {
  return names.length === 0 ? 'nothing is' : `known are ${names.join(', ')}`;
}
