import { placeInWords } from '../../parts/campaign/places.ts';

/** Names the part of a template at a JSON pointer: `Step 1, reward id`, `Variable reward, default`. */
export function placeInTemplate(pointer: string): string {
  const [, field, name, ...below] = pointer.split('/');
  if (field === 'campaign') return name === undefined ? 'The campaign' : placeInWords(pointer.replace('/campaign', ''));
  if (field !== 'variables') return placeInWords(pointer);
  return name === undefined ? 'Variables' : [`Variable ${name}`, ...below].join(', ');
}
