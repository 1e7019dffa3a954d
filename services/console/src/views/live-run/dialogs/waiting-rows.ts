import type { CancelPreview } from '#client/types.gen.ts';
import { titleOf } from '../../../parts/words/action-titles.ts';

/** A country, and how many of its users wait for which step. */
export interface WaitingRow {
  country: string;
  /** In the order of the chain; neither who is not fed yet nor who is being called. */
  waiting: readonly number[];
  inFlight: number;
}

export interface WaitingTable {
  /** `1 Give a reward` */
  steps: readonly string[];
  rows: readonly WaitingRow[];
  /** What is not shown, added up; null where all are. */
  others: (Omit<WaitingRow, 'country'> & { countries: number }) | null;
}

/** More would push the buttons off a small screen. */
const maxRows = 6;

/** Who waits where, those with most users first. Null where there is one country: what is said of all is said of it. */
export function waitingTable({ countries }: Pick<CancelPreview, 'countries'>): WaitingTable | null {
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
