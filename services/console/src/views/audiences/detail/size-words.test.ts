import { expect, test } from 'vitest';
import { named } from '../../../../testing/audiences/audiences.ts';
import { describeSizeSource } from './size-words.ts';

test('a size is shown as counted or estimated, and names its countries if the audience has other countries', () => {
  expect(describeSizeSource(named.staff)).toBe('counted in SG');
  expect(describeSizeSource(named.riders)).toBe('estimated');
  expect(describeSizeSource({ ...named.riders, countries: ['SG', 'ID'] })).toBe('estimated in SG, VN');
  expect(describeSizeSource(named.partners)).toBe('');
  expect(describeSizeSource({ ...named.lapsed, size: null })).toBe('');
});
