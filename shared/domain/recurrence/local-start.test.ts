import { describe, expect, it } from 'vitest';
import { firstInstantOf, zonesOfCountry } from './local-start.ts';

const startOf = (zone: string, local: string) => new Date(firstInstantOf(zone, Date.parse(`${local}Z`))).toISOString();

describe('a local time', () => {
  it('is a different instant in each time zone', () => {
    expect(startOf('Asia/Singapore', '2026-12-01T09:00')).toBe('2026-12-01T01:00:00.000Z');
    expect(startOf('Asia/Jakarta', '2026-12-01T09:00')).toBe('2026-12-01T02:00:00.000Z');
  });

  it('is its first occurrence in an overlap, and the first instant after a gap', () => {
    expect(startOf('America/New_York', '2026-11-01T01:30')).toBe('2026-11-01T05:30:00.000Z');
    expect(startOf('America/New_York', '2026-03-08T02:30')).toBe('2026-03-08T07:00:00.000Z');
    expect(startOf('Pacific/Apia', '2011-12-30T09:00')).toBe('2011-12-30T10:00:00.000Z');
  });
});

describe('the time zones of a country', () => {
  it('are one, several, or none for an unknown country', () => {
    expect(zonesOfCountry('SG')).toEqual(['Asia/Singapore']);
    expect(zonesOfCountry('US').length).toBeGreaterThan(3);
    expect(zonesOfCountry('ZZ')).toEqual([]);
  });
});
