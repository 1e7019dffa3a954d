import { z } from 'zod';
import { escapedText, isName, isStorable } from '../domain/ids/stored-text.ts';
import { storedName, storedText, storedWord } from './stated-rules.ts';

/** Texts as the database keeps them. A contract takes one of these for each text that a caller may store. */

export const unstorable = 'must hold neither U+0000 nor half a surrogate pair';
const unnameable = 'must hold no control, direction or invisible character, nor half a surrogate pair';

/** Any text: no U+0000 and no half of a surrogate pair. */
export function textShape(most: number, least = 0) {
  return z.string().min(least).max(most).refine(isStorable, unstorable).meta(storedText);
}

/** A text that is not blank. Blanks at both ends are removed. */
export function wordShape(most: number) {
  return z.string().trim().min(1).max(most).refine(isStorable, unstorable).meta(storedWord);
}

/**
 * The name of something, a label or an owner, which lists, logs and terminals show beside others: it must not hide
 * characters, move the cursor or turn the line round. Blanks at both ends are removed.
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

/** A text within a cursor, which its caller may have written. */
export const placeText = z.string().refine(isStorable, unstorable);
