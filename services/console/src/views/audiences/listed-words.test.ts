import { expect, test } from 'vitest';
import { named } from '../../testing/audiences.ts';
import { filterWords, listQuery, sizeVerb, sourceWords, wordsOfUse } from './listed-words.ts';
import { shownIn, shownOf } from './search.ts';

test('each choice asks the API for what it says', () => {
  expect(listQuery({ show: 'bad-lines', text: 'vip' })).toEqual({ q: 'vip', rejected: 'true' });
  expect(listQuery({ show: 'not-used', cursor: 'c' })).toEqual({ used: 'false', cursor: 'c' });
  expect(listQuery({ show: 'failed' })).toEqual({ state: 'failed' });
  expect(listQuery({ owner: 'risk' })).toEqual({ owner: 'risk' });
  expect(filterWords({ owner: 'risk', kind: 'list' })).toBe('Owner risk, uploaded lists.');
  expect(listQuery({ kind: 'saved' })).toEqual({ kind: 'saved' });
  expect(filterWords({ show: 'bad-lines', text: 'vip' })).toBe('Called “vip”, with bad lines.');
  expect(filterWords({ kind: 'segment' })).toBe('Segments.');
  expect(filterWords({ show: 'not-used' })).toBe('Not used.');
});

test('where it is from is said by its kind, with what differs', () => {
  expect(Object.values(named).map(sourceWords)).toEqual([
    ...['segment', 'saved · growth', 'uploaded list · wallet', 'uploaded list', 'segment · lapsed-riders'],
  ]);
  const many = ['SG', 'ID', 'VN', 'TH', 'PH', 'MY', 'KH'];
  expect(sourceWords({ ...named.partners, owner: null })).toBe('uploaded list · ID, VN');
  expect(sourceWords({ ...named.partners, owner: null, countries: many })).toBe('uploaded list · 7 countries');
});

test('a size has its verb, and its countries if those of the audience differ', () => {
  expect(sizeVerb(named.staff)).toBe('counted in SG');
  expect(sizeVerb(named.riders)).toBe('estimated');
  expect(sizeVerb({ ...named.riders, countries: ['SG', 'ID'] })).toBe('estimated in SG, VN');
  expect(sizeVerb(named.partners)).toBe('');
  expect(sizeVerb({ ...named.lapsed, size: null })).toBe('');
});

test('its use is counted, with the newest campaign, unless all of them leave it out', () => {
  expect(wordsOfUse(named.cut)).toEqual({ count: 'not used', note: null });
  expect(wordsOfUse(named.partners)).toEqual({ count: '2 campaigns', note: 'Payday, slowly' });
  expect(wordsOfUse(named.staff)).toEqual({ count: '9 campaigns', note: 'left out in all of them' });
  expect(wordsOfUse({ ...named.staff, usedBy: 1, leftOutBy: 1 })).toEqual({
    ...{ count: '1 campaign', note: 'left out in it' },
  });
  const latestSaved = { savedAudienceId: 'sav_riders', name: 'Lapsed riders' };
  expect(wordsOfUse({ ...named.cut, usedBySaved: 1, latestSaved })).toEqual({
    ...{ count: '1 audience', note: 'Lapsed riders' },
  });
  expect(wordsOfUse({ ...named.staff, usedBySaved: 2, latestSaved })).toEqual({
    ...{ count: '9 campaigns, 2 saved', note: 'Payday, slowly' },
  });
});

test('the address says what is shown, and of a segment that it is one', () => {
  expect(shownOf({})).toBeUndefined();
  for (const audience of Object.values(named)) {
    const { kind, id } = audience;
    expect(shownOf(shownIn({ text: 'x' }, audience))).toEqual({ kind, id });
  }
  expect(shownIn({ of: 'segment', text: 'x' }, named.riders)).toEqual({ text: 'x', id: 'sav_riders', of: undefined });
});
