import { z } from 'zod';
import { knownFields, rightOf } from '../right-value.ts';

/**
 * Returns a zod issue as text that follows the field's name: `has to be …`. Messages of the schema itself take
 * precedence. Pass it as `safeParse(value, { error: plainWords })`.
 */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_key') {
    return 'has to have names in small letters, with digits and - between them, such as award-reward';
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.inst instanceof z.ZodObject ? knownFields(Object.keys(issue.inst.shape)) : undefined;
  }
  const right = rightOf(issue, String);
  return right === undefined ? undefined : `has to be ${right}`;
}

/** Formats one problem as one line. @param displayed printable value; undefined if the variable is not set */
export function problemLine(name: string, message: string, displayed: string | undefined): string {
  const isRest = message.startsWith('has to ');
  if (displayed === undefined)
    return `${name} is not set${isRest ? `: it ${message}` : message === '' ? '' : `: ${message}`}`;
  return isRest ? `${name} ${message}, not ${displayed}` : `${name} ${message}`;
}
