import { describe, expect, it } from 'vitest';
import { selectGroups, type GroupSelection, type RegisteredGroup } from './groups.ts';

const group = (name: string, tags: string[]): RegisteredGroup => ({
  name,
  tags,
  homeRegion: 'asia',
  fallbackSeconds: 60,
  countries: [],
});
const registered = [group('SG', ['asia', 'rides']), group('ID', ['asia']), group('BR', ['rides'])];
const namesOf = (selection: GroupSelection | undefined) => selectGroups(selection, registered).map(({ name }) => name);

describe('the groups of a schedule', () => {
  it('are the registered groups of its list', () => {
    expect(namesOf({ names: ['BR', 'SG', 'gone'] })).toEqual(['SG', 'BR']);
  });

  it('are the groups with all of its tags', () => {
    expect(namesOf({ tags: ['asia', 'rides'] })).toEqual(['SG']);
    expect(namesOf({ tags: ['rides'] })).toEqual(['SG', 'BR']);
  });

  it('are one unnamed group without a home region if the schedule names no group', () => {
    expect(selectGroups(undefined, registered)).toEqual([{ name: '', homeRegion: null, fallbackDelayMs: 0 }]);
  });
});
