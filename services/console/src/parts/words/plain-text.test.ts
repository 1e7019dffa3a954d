import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

it('plain text replaces direction marks, and keeps letters of every script', () => {
  expect(plainText('evil\u202eexe')).toBe('evil·exe');
  expect(plainText('حملة 夏 Été 👩\u200d🚀')).toBe('حملة 夏 Été 👩\u200d🚀');
});
