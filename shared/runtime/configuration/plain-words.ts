import { z } from 'zod';

/**
 * zod's complaints as the rest of a sentence that begins with the field's name: `has to be …`. What a shape says itself
 * goes first. For `safeParse(value, { error: plainWords })`.
 */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `has to be ${nounOf(issue.expected)}`;
    case 'invalid_value':
      return `has to be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_format':
      return issue.format === 'regex'
        ? `has to look like ${String(issue.pattern)}`
        : `has to be ${nounOf(issue.format)}`;
    case 'too_small':
      return `has to be at least ${sized(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `has to be at most ${sized(issue.origin, issue.maximum)}`;
    case 'invalid_key':
      return 'has to have names in small letters, with digits and - between them, such as award-reward';
    case 'unrecognized_keys':
      return issue.inst instanceof z.ZodObject ? `known are ${Object.keys(issue.inst.shape).join(', ')}` : undefined;
    default:
      return undefined;
  }
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

function nounOf(type: string): string {
  const nouns: Record<string, string> = { int: 'a whole number', array: 'a list', record: 'an object', url: 'a URL' };
  return nouns[type] ?? (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
}

function sized(origin: string, bound: number | bigint): string {
  if (origin === 'string') return `${bound} ${bound === 1 ? 'character' : 'characters'} long`;
  if (origin === 'array') return `${bound} ${bound === 1 ? 'item' : 'items'} long`;
  return String(bound);
}
