import type { PoolClient } from 'pg';
import { allActionTypes, isListed, type SuppressedUser } from '../../domain/step/suppressions.ts';
import { isPlain, usersOf, type UsersText } from '../../domain/step/users-text.ts';
import type { ClaimedStep, StepDone } from '../../ports/step-ledger.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';
import { noteNoCalls } from './budget-statements.ts';
import { keysOf, type ClaimTerms } from './step-writes.ts';
import { flowAdded } from './totals-sql.ts';

/** Suppression lists and caps that a worker knows. Its claims have no effect if the database has others. */
export interface ClaimRules {
  /**
   * Action types with a list, and after semicolons those with a cap, and the revision of the caps. `recordAndClaim`
   * returns this text.
   */
  readonly names: string;
  follow(names: string): void;
  hasList(actionType: string | undefined): boolean;
  hasCap(actionType: string | undefined): boolean;
}

export function createClaimRules(): ClaimRules {
  let names = '';
  let [lists, capped]: string[][] = [[], []];
  return {
    get names() {
      return names;
    },
    follow: (other) => {
      names = other;
      [lists = [], capped = []] = other.split(';').map((types) => types.split(',').filter((type) => type !== ''));
    },
    hasList: (actionType = '') => isListed(lists ?? [], actionType),
    hasCap: (actionType = '') => capped?.includes(actionType) === true,
  };
}

/** Looks up a batch's users together, in key order: one walk through the index for each list, whatever its length. */
export const suppressedAmong = statementOf<{ actionTypes: string; users: string }>(
  'suppressed-among',
  ($) => `
  select k.position, p.user_id, l.action_type, p.note
  from unnest(${$('actionTypes')}::text[], ${$('users')}::text[]) with ordinality k (action_type, users, position)
  join suppression_lists l on l.action_type in (k.action_type, '${allActionTypes}')
  cross join lateral (
    select user_id, note from suppressed_people
    where list_no = l.list_no and user_id = any(string_to_array(k.users, e'\\n')) offset 0
  ) p`,
);

type FoundRow = [position: string, user: string, list: string, note: string | null];

/**
 * Attaches suppressed users to their claims, and marks claims with suppressed or capped users as not called, in the
 * transaction of the claims. If the mark came later, a worker lost in between would leave a key that may have been
 * used. Its call would then have to be repeated.
 */
export async function attachSuppressed(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  actionTypeOf: (claim: ClaimedStep) => string | undefined,
  rules: ClaimRules,
): Promise<ClaimedStep[]> {
  const candidates = claimed.filter((claim) => {
    return !claim.open && claim.fits === undefined && rules.hasList(actionTypeOf(claim));
  });
  const found = candidates.length === 0 ? noneFound : await suppressedIn(client, candidates, actionTypeOf);
  const uncalled = claimed.filter((claim) => found.has(claim) || claim.capped);
  if (uncalled.length === 0) return [...claimed];
  await client.query(noteNoCalls.with(keysOf(uncalled)));
  return claimed.map((claim) => {
    if (!found.has(claim) && !claim.capped) return claim;
    const suppressed = found.get(claim);
    return { ...claim, lapses: Math.max(claim.lapses, 1), ...(suppressed && { suppressed }) };
  });
}

const noneFound: ReadonlyMap<ClaimedStep, SuppressedUser[]> = new Map();

async function suppressedIn(
  client: PoolClient,
  claims: readonly ClaimedStep[],
  actionTypeOf: (claim: ClaimedStep) => string | undefined,
): Promise<Map<ClaimedStep, SuppressedUser[]>> {
  const { rows } = await client.query<FoundRow>({
    ...suppressedAmong.with({
      actionTypes: textArray(claims.map((claim) => actionTypeOf(claim) ?? '')),
      users: textArray(claims.map(({ users }) => linesOf(users))),
    }),
    rowMode: 'array',
  });
  const found = new Map<ClaimedStep, Map<string, SuppressedUser>>();
  for (const [position, user, list, note] of rows.splice(0)) {
    const claim = claims[Number(position) - 1];
    if (!claim) continue;
    const users = found.get(claim) ?? new Map<string, SuppressedUser>();
    // The list of the action type is more specific than the list of all action types.
    if (!users.has(user) || list !== allActionTypes) users.set(user, { user, list, note });
    found.set(claim, users);
  }
  return new Map([...found].map(([claim, users]) => [claim, [...users.values()]]));
}

/** Joins users by line breaks, which no id contains. */
function linesOf(users: UsersText): string {
  return isPlain(users) ? users.slice(1, -1).replaceAll('","', '\n') : usersOf(users).join('\n');
}

/** Adds suppressed users to the totals; their rows are written with the results. */
export const addSuppressedUsers = statementOf<{ feeds: string; steps: string; users: string; slot: number }>(
  'add-suppressed',
  ($) =>
    flowAdded(
      $('slot'),
      { suppressed: 'sum(users)' },
      `unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[], ${$('users')}::int[]) k (feed, step, users)`,
    ),
);

/** Counts suppressed users, in a statement of its own because most flushes have none. The results have to be sorted. */
export async function addSuppressed(
  client: PoolClient,
  results: readonly StepDone[],
  { slot }: Pick<ClaimTerms, 'slot'>,
): Promise<void> {
  const counted = results.flatMap((result) => {
    const users = suppressedUsersIn(result);
    return users === 0 ? [] : [{ ...result, users }];
  });
  if (counted.length === 0) return;
  const { feeds, steps } = keysOf(counted);
  const users = plainArray(counted.map((result) => result.users));
  await client.query(addSuppressedUsers.with({ feeds, steps, users, slot }));
}

export function suppressedUsersIn({ failures }: StepDone): number {
  return failures.reduce((sum, { outcome }) => sum + (outcome === 'suppressed' ? 1 : 0), 0);
}
