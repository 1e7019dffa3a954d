import { z } from 'zod';
import { isStorable } from '../../domain/ids/stored-text.ts';
import { json } from '../json.ts';
import { refusals, withCode } from '../stated-rules.ts';
import { unstorable } from '../stored-texts.ts';

/** Parameters of a step, which its endpoint receives with each batch. */
export const stepParams = z
  .record(z.string(), json)
  .refine(holdsStorableTexts, withCode('unstorable-text', unstorable))
  .meta(refusals({ 'unstorable-text': 'a text within JSON holds U+0000 or half a surrogate pair' }));

export type StepParams = z.infer<typeof stepParams>;

/** Returns true if all keys and texts of the value can be stored, at any depth. */
function holdsStorableTexts(value: z.core.util.JSONType): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && holdsStorableTexts(inner));
}
