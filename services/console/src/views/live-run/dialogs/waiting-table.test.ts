import { describe, expect, it } from 'vitest';
import type { CancelPreview } from '#client/types.gen.ts';
import { buildWaitingTable } from './waiting-table.ts';

function countryOf(country: string, first: number, halfWay: number, inFlight = 0): CancelPreview['countries'][number] {
  return {
    country,
    notFedUsers: 0,
    steps: [
      { step: 1, action: 'award-reward', notStartedUsers: first, halfWayUsers: 0, inFlightUsers: inFlight },
      { step: 2, action: 'send-message', notStartedUsers: 0, halfWayUsers: halfWay, inFlightUsers: inFlight },
    ],
  };
}

describe('the table of waiting users in a dialog', () => {
  it('has a row per country with users by step, most users first', () => {
    expect(buildWaitingTable({ countries: [countryOf('SG', 10, 5), countryOf('VN', 400, 100, 7)] })).toEqual({
      steps: ['1 Award reward', '2 Send message'],
      rows: [
        { country: 'VN', waiting: [400, 100], inFlight: 14 },
        { country: 'SG', waiting: [10, 5], inFlight: 0 },
      ],
      others: null,
    });
  });

  it('adds up the countries that do not fit', () => {
    const countries = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((name) => countryOf(name, 3, 2, 1));
    expect(buildWaitingTable({ countries })?.rows.map(({ country }) => country)).toEqual([
      'A',
      'B',
      'C',
      'D',
      'E',
      'F',
    ]);
    expect(buildWaitingTable({ countries })?.others).toEqual({ countries: 2, waiting: [6, 4], inFlight: 4 });
  });

  it('is omitted if there is one country', () => {
    expect(buildWaitingTable({ countries: [countryOf('SG', 10, 5)] })).toBeNull();
  });
});
