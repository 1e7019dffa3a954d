import type { CountryReach, UnapprovedStartTotal } from './approval-policy.ts';
import { personOf } from './person-of.ts';

/** Account and persons that start a run or a test, and its action types. */
export interface Starter {
  /** Account whose quota includes the start; null if no account's quota does. */
  account: string | null;
  /** Owners of the keys that wrote the revision or requested the start; null: a key without an owner. */
  owners: readonly (string | null)[];
  actions: readonly string[];
}

export interface SumKey {
  kind: 'account' | 'person' | 'action';
  key: string;
  words: string;
}

/** Returns the keys of the sums in which a start counts. All keys without an owner count as one person. */
export function sumKeysOf({ account, owners, actions }: Starter): SumKey[] {
  const persons = new Map(owners.map((owner) => [owner === null ? '' : personOf(owner), owner]));
  return [
    ...[...persons].map(
      ([person, owner]) =>
        ({ kind: 'person', key: `person:${person}`, words: `by ${owner?.trim() ?? 'keys without an owner'}` }) as const,
    ),
    ...(account === null ? [] : [{ kind: 'account', key: `account:${account}`, words: 'by this account' } as const]),
    ...[...new Set(actions)].map((action) => ({ kind: 'action', key: `action:${action}`, words: action }) as const),
  ];
}

export type StartedInCountry = CountryReach & { key: string };

/** Returns the sums that a start with these keys adds to. An action type has a sum in each country. */
export function startedSums(keys: readonly SumKey[], started: readonly StartedInCountry[]): UnapprovedStartTotal[] {
  return keys.flatMap(({ kind, key, words }): UnapprovedStartTotal[] => {
    const reach = started.filter((row) => row.key === key);
    if (kind !== 'action') return [{ words, country: null, reach }];
    return reach.map((row) => {
      const { country } = row;
      return { words: `with ${words} in ${country}`, country, reach: [row] };
    });
  });
}
