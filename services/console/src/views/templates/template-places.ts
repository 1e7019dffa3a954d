import { placeInWords } from '../../parts/campaign/places.ts';

/** Which part of a template a JSON pointer means: `Step 1, reward id`, `Variable reward, default`. */
export function placeInTemplate(pointer: string): string {
  const [, field, name, ...below] = pointer.split('/');
  if (field === 'campaign') return name === undefined ? 'The campaign' : placeInWords(pointer.replace('/campaign', ''));
  if (field !== 'variables') return placeInWords(pointer);
  return name === undefined ? 'Variables' : [`Variable ${name}`, ...below].join(', ');
}
