import { expect, test } from 'vitest';
import { findCountries } from './country-picker.tsx';

test('a country is found by its code, the beginning of its name, then any part of it', () => {
  const found = (text: string) => findCountries(['KR', 'SK', 'ZA', 'KH', 'SG', 'KP'], text).map(({ value }) => value);
  expect(found('kr')).toEqual(['KR']);
  expect(found('k')).toEqual(['KH', 'KP', 'KR', 'SK']);
  expect(found('south')).toEqual(['ZA', 'KR']);
  expect(found('korea')).toEqual(['KP', 'KR']);
  expect(found('nowhere')).toEqual([]);
  expect(found('')).toHaveLength(6);
});
