import { describe, expect, it } from 'vitest';
import { localStartMs, zoneOfCountry } from './local-starts.ts';

const winter = '2026-12-01T09:00:00';
const summer = '2026-07-01T09:00:00';

function startOf(country: string, time = winter, zones?: Record<string, string>): string | undefined {
  const atMs = localStartMs({ time, zones }, country);
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}

describe('a local start time in a country with several time zones', () => {
  it.each([
    ['MY', '2026-12-01T01:00:00.000Z'],
    ['DE', '2026-12-01T08:00:00.000Z'],
    ['CY', '2026-12-01T07:00:00.000Z'],
    ['AR', '2026-12-01T12:00:00.000Z'],
  ])('is one instant if all zones have the same offset at that time: %s', (country, instant) => {
    expect(startOf(country)).toBe(instant);
  });

  it.each(['ID', 'US', 'CN', 'NZ'])('requires a zone if the offsets differ: %s', (country) => {
    expect(startOf(country)).toBeUndefined();
    expect(zoneOfCountry({ time: winter }, country)).toHaveProperty('choices');
  });

  it('is one instant only in summer if the offsets are equal only in summer', () => {
    expect(startOf('UA', summer)).toBe('2026-07-01T06:00:00.000Z');
    expect(startOf('UA', winter)).toBeUndefined();
  });

  it('uses the zone that is configured for the country', () => {
    expect(startOf('ID', winter, { ID: 'Asia/Jayapura' })).toBe('2026-12-01T00:00:00.000Z');
    expect(startOf('MY', winter, { MY: 'Europe/Berlin' })).toBe('2026-12-01T08:00:00.000Z');
  });
});
