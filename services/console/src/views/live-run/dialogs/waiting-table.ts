import type { CancelPreview } from '#client/types.gen.ts';
import { titleOf } from '../../../parts/words/action-titles.ts';

export interface WaitingRow {
  country: string;
  /**
   * Number of waiting users by step, in the order of the chain. Excludes users that are not fed yet, and users that are
   * being called.
   */
  waiting: readonly number[];
  inFlight: number;
}

export interface WaitingTable {
  steps: readonly string[];
  rows: readonly WaitingRow[];
  /** Sum of the countries without a row of their own; null if all countries have a row. */
  others: (Omit<WaitingRow, 'country'> & { countries: number }) | null;
}

/** Maximum number of rows: more would move the buttons off a small screen. */
const maxRows = 6;

/**
 * Returns the waiting users by country, most users first. Null if there is one country, whose numbers are the totals.
 */
export function buildWaitingTable({ countries }: Pick<CancelPreview, 'countries'>): WaitingTable | null {
  const [first] = countries;
  if (!first || countries.length < 2) return null;
  const rows = countries
    .map(({ country, steps }) => ({
      country,
      waiting: steps.map(({ notStartedUsers, halfWayUsers }) => notStartedUsers + halfWayUsers),
      inFlight: steps.reduce((sum, { inFlightUsers }) => sum + inFlightUsers, 0),
    }))
    .sort((a, b) => usersOf(b) - usersOf(a) || a.country.localeCompare(b.country));
  const hidden = rows.slice(maxRows);
  return {
    steps: first.steps.map(({ step, action }) => `${step} ${titleOf(action)}`),
    rows: rows.slice(0, maxRows),
    others:
      hidden.length === 0
        ? null
        : {
            countries: hidden.length,
            waiting: first.steps.map((_, index) => hidden.reduce((sum, row) => sum + (row.waiting[index] ?? 0), 0)),
            inFlight: hidden.reduce((sum, { inFlight }) => sum + inFlight, 0),
          },
  };
}

function usersOf({ waiting, inFlight }: WaitingRow): number {
  return waiting.reduce((sum, users) => sum + users, inFlight);
}
