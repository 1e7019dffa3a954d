import { quoted } from './http-problem.ts';

/** Beginning of the detail of a problem with a missing field. */
export const missing = 'is missing';

/** @param right description of a valid value, such as `a whole number`; empty if unknown */
export function describeMissing(right: string): string {
  return right === '' ? missing : `${missing}: has to be ${right}`;
}

/** @param found undefined if the field is missing */
export function describeWrong(right: string, found: unknown): string {
  if (found === undefined) return describeMissing(right);
  // A query parameter that is not a number was parsed to NaN, so its text is unknown.
  return Number.isNaN(found) ? `has to be ${right}` : `has to be ${right}, not ${quoted(found)}`;
}

/** @param size of the found value */
export function describeWrongSize(right: string, size: number | string): string {
  return `has to be ${right}, not ${size}`;
}

/** @param known accepted names: `known are a, b` */
export function describeUnknownField(name: string, known: string): string {
  return `${quoted(name)} is not accepted here; ${known}`;
}
