import { formatPlace } from '../../parts/campaign/places.ts';

/** Names the part of a template at a JSON pointer: `Step 1, reward id`, `Variable reward, default`. */
export function describePlace(pointer: string): string {
  const [, field, name, ...below] = pointer.split('/');
  if (field === 'campaign') return name === undefined ? 'The campaign' : formatPlace(pointer.replace('/campaign', ''));
  if (field !== 'variables') return formatPlace(pointer);
  return name === undefined ? 'Variables' : [`Variable ${name}`, ...below].join(', ');
}
