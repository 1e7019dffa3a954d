import { quoted } from './http-problem.ts';

/** First words of the detail of a problem about a missing field. */
export const missing = 'is missing';

/**
 * Returns the detail for a missing field.
 * @param right description of a valid value, such as `a whole number`; empty if unknown
 */
export function describeMissing(right: string): string {
  return right === '' ? missing : `${missing}: has to be ${right}`;
}

/**
 * Returns the detail for a wrong value.
 * @param found the wrong value; undefined if the field is missing
 */
export function describeWrong(right: string, found: unknown): string {
  if (found === undefined) return describeMissing(right);
  // The parser turns a query parameter that is not a number into NaN, so its original text is unknown here.
  return Number.isNaN(found) ? `has to be ${right}` : `has to be ${right}, not ${quoted(found)}`;
}

/**
 * Returns the detail for a value of a wrong size.
 * @param size size of the value
 */
export function describeWrongSize(right: string, size: number | string): string {
  return `has to be ${right}, not ${size}`;
}

/**
 * Returns the detail for an unknown field.
 * @param known list of the accepted names, as in `known are a, b`
 */
export function describeUnknownField(name: string, known: string): string {
  return `${quoted(name)} is not accepted here; ${known}`;
}
