import { z } from 'zod';
import { unnameable } from '../domain/ids/stored-text.ts';

/**
 * Rules of the API in the words of its document. What JSON Schema can express becomes a keyword of the schema; each
 * other rule is a refusal with a code of its own, which the document lists at every operation that can answer it.
 */

/** Conditions by the code of the error that they lead to. */
export type Refusals = Readonly<Record<string, string>>;

/** Keyword of a schema under which its refusals stand until the document collects them by operation. */
export const refusalsKey = 'x-refusals';

/** Metadata of a shape that refuses values which its schema allows. */
export function refusals(rules: Refusals) {
  return { [refusalsKey]: rules };
}

/** Code of the error of a check, beside its words. */
export function withCode(code: string, error: string) {
  return { error, params: { code } };
}

type Combination = object;

/** Metadata of an object in which some combinations of fields are invalid. */
export function forbids(...combinations: readonly Combination[]) {
  return { not: { anyOf: combinations } };
}

/** All of these fields are given. */
export const together = (...names: readonly string[]): Combination => ({ required: names });

/** None of these fields is given. */
export const without = (...names: readonly string[]): Combination => ({
  not: { anyOf: names.map((name) => ({ required: [name] })) },
});

/** Two or more of these fields are given. */
export function several(...names: readonly string[]): Combination[] {
  return names.flatMap((name, index) => names.slice(index + 1).map((other) => together(name, other)));
}

/** Anything but one of these fields is given. */
export const notExactlyOne = (...names: readonly string[]): Combination[] => [without(...names), ...several(...names)];

/** Metadata of texts that the database can keep: no U+0000, and no half of a surrogate pair. */
export const storedText = { pattern: String.raw`^[^\u0000\uD800-\uDFFF]*$` };

/** Metadata of texts whose blanks at both ends are taken off, and which hold more than blanks. */
export const storedWord = {
  pattern: String.raw`^[^\u0000\uD800-\uDFFF]*[^\s\u0000\uD800-\uDFFF][^\u0000\uD800-\uDFFF]*$`,
};

/** Metadata of names: as a word, and without characters that names do not have. */
export const storedName = {
  pattern: String.raw`^[^${unnameable}\uD800-\uDFFF]*[^\s${unnameable}\uD800-\uDFFF][^${unnameable}\uD800-\uDFFF]*$`,
};

/** Metadata of a day and a time of day without an offset. That the day exists is checked beside it. */
export const localTimeText = {
  pattern: String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$`,
  ...refusals({ 'no-such-day': 'a local time names a day that its month does not have' }),
};

/** Refusals of a value that is composed of several, by the codes that shapes have for what does not fit them. */
export function refusalsOfShape(condition: string): Refusals {
  const codes = ['missing', 'invalid-value', 'unknown-field', 'wrong-type', 'wrong-length', 'out-of-range'];
  return Object.fromEntries(codes.map((code) => [code, condition]));
}

/** A merge patch is judged with what it changes: the whole has to fit the schema of a new one. */
export const patchRefusals = refusalsOfShape(
  'the change and what is there would together not fit the schema of a new one',
);

/** Returns the refusals that a shape and the shapes within it carry. */
export function refusalsWithin(shape: z.ZodType): Refusals {
  const found: Record<string, string> = {};
  z.toJSONSchema(shape, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema }) => {
      const { [refusalsKey]: rules } = z.globalRegistry.get(zodSchema) ?? {};
      Object.assign(found, rules);
    },
  });
  return found;
}
