import { z } from 'zod';
import { knownFields, rightOf } from '../right-value.ts';

/**
 * zod's complaints as the rest of a sentence that begins with the field's name: `has to be …`. What a shape says itself
 * goes first. For `safeParse(value, { error: plainWords })`.
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

/**
 * One line for one problem.
 * @param shown the value as it may be printed; undefined where there is none
 */
export function problemLine(name: string, message: string, shown: string | undefined): string {
  const isRest = message.startsWith('has to ');
  if (shown === undefined)
    return `${name} is not set${isRest ? `: it ${message}` : message === '' ? '' : `: ${message}`}`;
  return isRest ? `${name} ${message}, not ${shown}` : `${name} ${message}`;
}
