import { expect, test } from 'vitest';
import { named } from '../../../testing/audiences/audiences.ts';
import { describeFilters, createListQuery, describeSource, describeUse } from './listed-words.ts';
import { selectAudience, readSelected } from './search.ts';

test('each filter of the list has its query parameters and its description', () => {
  expect(createListQuery({ show: 'bad-lines', text: 'vip' })).toEqual({ q: 'vip', rejected: 'true' });
  expect(createListQuery({ show: 'not-used', cursor: 'c' })).toEqual({ used: 'false', cursor: 'c' });
  expect(createListQuery({ show: 'failed' })).toEqual({ state: 'failed' });
  expect(createListQuery({ owner: 'risk' })).toEqual({ owner: 'risk' });
  expect(describeFilters({ owner: 'risk', kind: 'list' })).toBe('Owner risk, uploaded lists.');
  expect(createListQuery({ kind: 'saved' })).toEqual({ kind: 'saved' });
  expect(describeFilters({ show: 'bad-lines', text: 'vip' })).toBe('Matching “vip”, with rejected lines.');
  expect(describeFilters({ kind: 'segment' })).toBe('Segments.');
  expect(describeFilters({ show: 'not-used' })).toBe('Not used.');
});

test('a source is described by its kind and owner, countries or id', () => {
  expect(Object.values(named).map(describeSource)).toEqual([
    ...['segment', 'saved · growth', 'uploaded list · wallet', 'uploaded list', 'segment · lapsed-riders'],
  ]);
  const many = ['SG', 'ID', 'VN', 'TH', 'PH', 'MY', 'KH'];
  expect(describeSource({ ...named.partners, owner: null })).toBe('uploaded list · ID, VN');
  expect(describeSource({ ...named.partners, owner: null, countries: many })).toBe('uploaded list · 7 countries');
});

test('uses are counted, with the newest campaign unless all campaigns exclude the audience', () => {
  expect(describeUse(named.cut)).toEqual({ count: 'not used', note: null });
  expect(describeUse(named.partners)).toEqual({ count: '2 campaigns', note: 'Payday, slowly' });
  expect(describeUse(named.staff)).toEqual({ count: '9 campaigns', note: 'excluded in all of them' });
  expect(describeUse({ ...named.staff, usedBy: 1, excludedBy: 1 })).toEqual({
    count: '1 campaign',
    note: 'excluded in it',
  });
  const latestSaved = { savedAudienceId: 'sav_riders', name: 'Lapsed riders' };
  expect(describeUse({ ...named.cut, usedBySaved: 1, latestSaved })).toEqual({
    count: '1 audience',
    note: 'Lapsed riders',
  });
  expect(describeUse({ ...named.staff, usedBySaved: 2, latestSaved })).toEqual({
    count: '9 campaigns, 2 saved',
    note: 'Payday, slowly',
  });
});

test('the address has the id of the selected audience, and the kind of a segment', () => {
  expect(readSelected({})).toBeUndefined();
  for (const audience of Object.values(named)) {
    const { kind, id } = audience;
    expect(readSelected(selectAudience({ text: 'x' }, audience))).toEqual({ kind, id });
  }
  expect(selectAudience({ of: 'segment', text: 'x' }, named.riders)).toEqual({
    text: 'x',
    id: 'sav_riders',
    of: undefined,
  });
});
