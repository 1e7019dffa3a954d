import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

it('a mark that turns the direction is seen, and letters of every script stay', () => {
  expect(plainText('evil\u202eexe')).toBe('evil·exe');
  expect(plainText('حملة 夏 Été 👩\u200d🚀')).toBe('حملة 夏 Été 👩\u200d🚀');
});
