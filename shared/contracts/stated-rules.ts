import { z } from 'zod';
import { unnameable } from '../domain/ids/stored-text.ts';

/**
 * Rules of the API in the wording of its document. A rule that JSON Schema can express is a keyword of the schema. Each
 * other rule is a refusal with a code of its own; the document lists it at every operation that can answer it.
 */

/** Conditions by the resulting error code. */
export type Refusals = Readonly<Record<string, string>>;

/** Schema keyword that holds refusals until the document collects them by operation. */
export const refusalsKey = 'x-refusals';

/** Returns the metadata of a shape that refuses values which its schema allows. */
export function refusals(rules: Refusals) {
  return { [refusalsKey]: rules };
}

export function withCode(code: string, error: string) {
  return { error, params: { code } };
}

type Combination = object;

export function forbids(...combinations: readonly Combination[]) {
  return { not: { anyOf: combinations } };
}

export const together = (...names: readonly string[]): Combination => ({ required: names });

export const without = (...names: readonly string[]): Combination => ({
  not: { anyOf: names.map((name) => ({ required: [name] })) },
});

export function several(...names: readonly string[]): Combination[] {
  return names.flatMap((name, index) => names.slice(index + 1).map((other) => together(name, other)));
}

export const notExactlyOne = (...names: readonly string[]): Combination[] => [without(...names), ...several(...names)];

/** Metadata of texts that the database can store: without U+0000 and lone surrogates. */
export const storedText = { pattern: String.raw`^[^\u0000\uD800-\uDFFF]*$` };

/** Metadata of texts that are trimmed at both ends and must not be blank. */
export const storedWord = {
  pattern: String.raw`^[^\u0000\uD800-\uDFFF]*[^\s\u0000\uD800-\uDFFF][^\u0000\uD800-\uDFFF]*$`,
};

/** Metadata of names: as `storedWord`, and without characters that names must not have. */
export const storedName = {
  pattern: String.raw`^[^${unnameable}\uD800-\uDFFF]*[^\s${unnameable}\uD800-\uDFFF][^${unnameable}\uD800-\uDFFF]*$`,
};

/** Metadata of a day and a time of day without an offset. Another check verifies that the day exists. */
export const localTimeText = {
  pattern: String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$`,
  ...refusals({ 'no-such-day': 'a local time names a day that its month does not have' }),
};

/** Returns the refusals of a composed value, by the codes that shapes use for invalid parts. */
export function refusalsOfShape(condition: string): Refusals {
  const codes = ['missing', 'invalid-value', 'unknown-field', 'wrong-type', 'wrong-length', 'out-of-range'];
  return Object.fromEntries(codes.map((code) => [code, condition]));
}

/** Refusals of a merge patch: the API validates the merged result against the schema of a new resource. */
export const patchRefusals = refusalsOfShape('the changed resource does not match the schema of a new one');

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
