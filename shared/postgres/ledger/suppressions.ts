import type { PoolClient } from 'pg';
import { allActionTypes, isListed, type SuppressedUser } from '../../domain/step/suppressions.ts';
import { isPlain, usersOf, type UsersText } from '../../domain/step/users-text.ts';
import type { ClaimedStep, StepDone } from '../../ports/step-ledger.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';
import { noteNoCalls } from './budget-statements.ts';
import { keysOf, type ClaimTerms } from './step-writes.ts';
import { flowAdded } from './totals-sql.ts';

/** Suppression lists that a worker knows. Its claims have no effect if the database has other lists. */
export interface SuppressionLists {
  /** Action types, sorted, separated by commas. */
  readonly names: string;
  follow(names: string): void;
  isFor(actionType: string | undefined): boolean;
}

export function createSuppressionLists(): SuppressionLists {
  let names = '';
  let lists: readonly string[] = [];
  return {
    get names() {
      return names;
    },
    follow: (other) => {
      names = other;
      lists = other === '' ? [] : other.split(',');
    },
    isFor: (actionType = '') => isListed(lists, actionType),
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
 * Attaches suppressed users to their claims, and marks that no call was made, in the transaction of the claims. If the
 * mark came later, a worker lost in between would leave a key that may have been used. Its call would then have to be
 * repeated.
 */
export async function attachSuppressed(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  actionTypeOf: (claim: ClaimedStep) => string | undefined,
  lists: SuppressionLists,
): Promise<ClaimedStep[]> {
  const candidates = claimed.filter((claim) => {
    return !claim.open && claim.fits === undefined && lists.isFor(actionTypeOf(claim));
  });
  if (candidates.length === 0) return [...claimed];
  const found = await suppressedIn(client, candidates, actionTypeOf);
  if (found.size === 0) return [...claimed];
  await client.query(noteNoCalls.with(keysOf([...found.keys()])));
  return claimed.map((claim) => {
    const suppressed = found.get(claim);
    return suppressed ? { ...claim, lapses: Math.max(claim.lapses, 1), suppressed } : claim;
  });
}

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
