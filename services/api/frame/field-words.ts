import { quoted } from './http-problem.ts';

/** How the detail of a problem begins whose field is not there. */
export const missing = 'is missing';

/** @param right such as `a whole number`; empty where that is not known */
export function missingWords(right: string): string {
  return right === '' ? missing : `${missing}: has to be ${right}`;
}

/** @param found undefined where the field is not there */
export function wrongWords(right: string, found: unknown): string {
  if (found === undefined) return missingWords(right);
  // Not a number is all that is left of a query parameter's text.
  return Number.isNaN(found) ? `has to be ${right}` : `has to be ${right}, not ${quoted(found)}`;
}

/** @param size of the value that was found */
export function wrongSizeWords(right: string, size: number | string): string {
  return `has to be ${right}, not ${size}`;
}

/** @param known what is accepted: `known are a, b` */
export function unknownFieldWords(name: string, known: string): string {
  return `${quoted(name)} is not accepted here; ${known}`;
}
