import type { FailureReason, RunProgress } from '#client/types.gen.ts';
import { groupCountries, type CountryRow } from '../../../parts/step-table/country-groups.ts';
import { formatFineShare } from '../../../parts/words/figures.ts';
import { countOf, formatCount } from '../../../parts/words/numbers.ts';
import { createMarkLookup } from './run-figures.ts';
import type { Stall } from './stall.ts';
import { quotedTitleOf } from '../../../parts/words/action-titles.ts';

export interface Cause {
  key: string;
  /** Country codes, those with most users first. */
  countries: string[];
  /** Description such as `waits for “Give a reward”: endpoint says 503.` */
  words: string;
  /** True if users do not wait, but too many have failed. The description then contains figures, which change often. */
  isFailing: boolean;
  since: string | null;
  /** Note such as `248,776 users` or `The run continues.` */
  note: string;
  /** Country with too small a budget; null if the cause is another. */
  shortBudgetCountry: string | null;
  /** Breaker with the earliest next attempt; null if no breaker is open. */
  breaker: Stall['breaker'];
}

/** Returns the countries in which users wait or too many have failed, those with most waiting users first. */
export function findTroubledCountries(progress: Pick<RunProgress, 'countries' | 'audience' | 'waits' | 'state'>) {
  return groupCountries(progress.countries, createMarkLookup(progress)).trouble;
}

/**
 * Returns the causes; countries with the same cause share an entry. First the causes with most waiting users, then
 * countries in which too many users have failed.
 */
export function groupCauses(
  stalls: readonly Stall[],
  troubled: readonly CountryRow[],
  failures: readonly Pick<FailureReason, 'country' | 'outcome' | 'reason' | 'users'>[],
): Cause[] {
  const placed = stalls.flatMap((stall) => (stall.place ? [{ stall, place: stall.place }] : []));
  const groups = Map.groupBy(placed, ({ stall, place }) =>
    stall.shortBudgetCountry === null ? `${place.action} ${stall.cause}` : `budget ${place.country}`,
  );
  const waiting = [...groups].map(([key, of]) => waitingCause(key, of));
  const isWaiting = new Set(placed.map(({ place }) => place.country));
  const failing = troubled.filter(({ country }) => !isWaiting.has(country)).map((row) => failingCause(row, failures));
  return [...waiting.toSorted((a, b) => b.users - a.users).map(({ cause }) => cause), ...failing];
}

interface PlacedStall {
  stall: Stall;
  place: NonNullable<Stall['place']>;
}

function waitingCause(key: string, of: readonly PlacedStall[]): { users: number; cause: Cause } {
  const sorted = of.toSorted((a, b) => (b.place.users ?? 0) - (a.place.users ?? 0));
  const countries = [...new Set(sorted.map(({ place }) => place.country))];
  const users = of.reduce((sum, { place }) => sum + (place.users ?? 0), 0);
  const [first] = sorted;
  const verb = countries.length === 1 ? 'waits' : 'wait';
  const cause = first?.stall.cause ?? '';
  const isShort = typeof first?.stall.shortBudgetCountry === 'string';
  return {
    users,
    cause: {
      key,
      countries,
      isFailing: false,
      words: isShort
        ? `has used up its budget: ${cause}`
        : `${verb} for ${quotedTitleOf(first?.place.action ?? '')}: ${lowerFirst(cause)}`,
      since: of.flatMap(({ stall }) => stall.since ?? []).toSorted()[0] ?? null,
      note: users > 0 ? countOf(users, 'user') : '',
      shortBudgetCountry: first?.stall.shortBudgetCountry ?? null,
      breaker: earliestBreaker(of.flatMap(({ stall }) => stall.breaker ?? [])),
    },
  };
}

function earliestBreaker(breakers: readonly { nextTryAt: string | null }[]): Stall['breaker'] {
  if (breakers.length === 0) return null;
  return { nextTryAt: breakers.flatMap(({ nextTryAt }) => nextTryAt ?? []).toSorted()[0] ?? null };
}

/** If a reason has more than this share of the failed users, it is shown as the main reason. */
const mainShare = 0.5;

function failingCause(
  { country, audience, steps }: CountryRow,
  failures: readonly Pick<FailureReason, 'country' | 'outcome' | 'reason' | 'users'>[],
): Cause {
  const failed = steps.reduce((sum, line) => sum + line.failed + line.unknown, 0);
  const byReason = Map.groupBy(
    failures.filter((each) => each.country === country && each.outcome !== 'suppressed'),
    ({ reason }) => reason,
  );
  const [mainReason] = [...byReason]
    .map(([reason, of]) => ({ reason, users: of.reduce((sum, { users }) => sum + users, 0) }))
    .toSorted((a, b) => b.users - a.users);
  const reasonText = mainReason
    ? `: ${mainReason.users > failed * mainShare ? 'mostly' : 'most often'} ${mainReason.reason}`
    : '';
  return {
    key: `failed ${country}`,
    countries: [country],
    since: null,
    note: 'The run continues.',
    shortBudgetCountry: null,
    breaker: null,
    isFailing: true,
    words: `${formatCount(failed)} failed, ${formatFineShare(failed, audience)} of ${formatCount(audience)}${reasonText}.`,
  };
}

/** Lowers the first letter for a sentence after a colon. Abbreviations stay in capitals. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

const maxNamed = 3;

/** Lists country codes: `VN`, `VN, MM and 4 more`. */
export function formatCountries(countries: readonly string[]): string {
  if (countries.length <= maxNamed) return countries.join(', ');
  return `${countries.slice(0, maxNamed - 1).join(', ')} and ${countries.length - maxNamed + 1} more`;
}
