import { z } from 'zod';
import { knownFields, oneOf, rightOf } from '../../../../shared/runtime/right-value.ts';
import { missing, describeUnknownField, describeWrongSize, describeWrong } from '../field-messages.ts';
import { quoted } from '../http-problem.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { pointerOf } from './json-pointer.ts';

/** Result of a check. `more` is the number of problems that are not listed. */
export type CheckResult<Value> = { ok: true; value: Value } | { ok: false; problems: FieldProblem[]; more: number };

/** Maximum number of listed problems. Describing 80,000 unknown fields would block all other requests. */
const maxListed = 100;

/**
 * Maximum number of issues that are described, including issues inside unions. Further issues keep the message of the
 * parser and are not listed.
 */
const maxDescribed = 10 * maxListed;

/** Maximum number of characters of a message. The longest lists of known fields and values fit. */
const maxMessageLength = 2000;

/** Checks a value by a shape. Returns all problems, each with the value and a description of valid values. */
export function checkShape<Shape extends z.ZodType>(shape: Shape, value: unknown): CheckResult<z.output<Shape>> {
  let described = 0;
  const error = (issue: z.core.$ZodRawIssue) => (described++ < maxDescribed ? describe(issue) : undefined);
  const parsed = shape.safeParse(value, { error, reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const { issues } = parsed.error;
  const problems = issues.slice(0, maxListed).flatMap(problemsOf).slice(0, maxListed);
  const all = issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
  return { ok: false, problems, more: Math.max(0, all - problems.length) };
}

/**
 * Returns the issues of the alternative that was probably meant: the only alternative whose required fields are all
 * present.
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
    return [{ pointer: pointerOf(issue.path), code: codeOf(issue), detail: shortMessage(issue.message) }];
  }
  const known = shortMessage(issue.message);
  return issue.keys.slice(0, maxListed).map((key) => ({
    pointer: pointerOf([...issue.path, key]),
    code: 'unknown-field',
    detail: describeUnknownField(key, known),
  }));
}

/** Shortens a message, because the parser's message about unknown fields contains all their names. */
function shortMessage(message: string): string {
  return message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength)}…`;
}

export function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith(missing)) return 'missing';
  switch (issue.code) {
    case 'invalid_type':
      return 'wrong-type';
    case 'too_small':
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? 'wrong-length' : 'out-of-range';
    case 'custom':
      return ruleOf(issue) ?? 'invalid-value';
    default:
      return 'invalid-value';
  }
}

/** Returns the code of a custom rule of a shape; see `withCode`. */
function ruleOf({ params }: z.core.$ZodIssueCustom): string | undefined {
  const code: unknown = params?.['code'];
  return typeof code === 'string' ? code : undefined;
}

/**
 * Describes an issue during the check, when the shape that refuses the value is known. A message of the shape itself
 * has priority.
 */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_union') return describeUnion(issue);
  if (issue.code === 'unrecognized_keys') {
    return issue.inst instanceof z.ZodObject ? knownFields(Object.keys(issue.inst.shape)) : undefined;
  }
  const right = rightOf(issue, quoted);
  if (right === undefined) return undefined;
  const isSize = issue.code === 'too_small' || issue.code === 'too_big';
  return isSize ? describeWrongSize(right, sizeOf(issue.input)) : describeWrong(right, issue.input);
}

function describeUnion({ input, discriminator, options }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>) {
  if (discriminator === undefined || !Array.isArray(options)) return undefined;
  const fields: [string, unknown][] = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  return describeWrong(oneOf(options, quoted), new Map(fields).get(discriminator));
}

function sizeOf(value: unknown): string {
  return Array.isArray(value) || typeof value === 'string' ? String(value.length) : quoted(value);
}
