import { z } from 'zod';
import { escapedText, isName, isStorable } from '../domain/ids/stored-text.ts';
import { storedName, storedText, storedWord } from './stated-rules.ts';

/** Texts that the database can store. A contract uses one of these shapes for each text that a caller may store. */

export const unstorable = 'must hold neither U+0000 nor half a surrogate pair';
const unnameable = 'must hold no control, direction or invisible character, nor half a surrogate pair';

/** Returns the shape of any text without U+0000 and lone surrogates. */
export function textShape(most: number, least = 0) {
  return z.string().min(least).max(most).refine(isStorable, unstorable).meta(storedText);
}

/** Returns the shape of a text that is not blank. Blanks at both ends are removed. */
export function wordShape(most: number) {
  return z.string().trim().min(1).max(most).refine(isStorable, unstorable).meta(storedWord);
}

/**
 * Returns the shape of a name, a label or an owner. Lists, logs and terminals show such texts next to others: they must
 * not hide characters, move the cursor or reverse the line. Blanks at both ends are removed.
 */
export function nameShape(most: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine(isName, { error: ({ input }) => `${unnameable}: ${escapedText(String(input))}` })
    .meta(storedName);
}

/** A text within a cursor. The text is validated because a caller may have written the cursor. */
export const placeText = z.string().refine(isStorable, unstorable);
