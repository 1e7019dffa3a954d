import type { PoolClient } from 'pg';
import { allActionTypes, isListed, type SuppressedUser } from '../../domain/step/suppressions.ts';
import { isPlain, usersOf, type UsersText } from '../../domain/step/users-text.ts';
import type { ClaimedStep, StepDone } from '../../ports/step-ledger.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';
import { noteNoCalls } from './budget-statements.ts';
import { keysOf, type ClaimTerms } from './step-writes.ts';
import { flowAdded } from './totals-sql.ts';

/** The lists that a claimer knows of. Its claims have no effect where there are others. */
export interface SuppressionLists {
  /** Of action types, in order, separated by commas. */
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

/**
 * The users of a batch are looked up together, in the order of the key: one walk through the index for a batch and a
 * list, however long that is.
 */
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
 * In the transaction of their claims: users on a list are told with them, and it is written that no call was made. Were
 * that written later, a worker lost in between would leave a key that may have been used, and what may have been sent
 * has to be sent again.
 */
export async function tellSuppressed(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  actionTypeOf: (claim: ClaimedStep) => string | undefined,
  lists: SuppressionLists,
): Promise<ClaimedStep[]> {
  const asked = claimed.filter((claim) => {
    return !claim.open && claim.fits === undefined && lists.isFor(actionTypeOf(claim));
  });
  if (asked.length === 0) return [...claimed];
  const found = await suppressedIn(client, asked, actionTypeOf);
  if (found.size === 0) return [...claimed];
  await client.query(noteNoCalls.with(keysOf([...found.keys()])));
  return claimed.map((claim) => {
    const suppressed = found.get(claim);
    return suppressed ? { ...claim, lapses: Math.max(claim.lapses, 1), suppressed } : claim;
  });
}

async function suppressedIn(
  client: PoolClient,
  asked: readonly ClaimedStep[],
  actionTypeOf: (claim: ClaimedStep) => string | undefined,
): Promise<Map<ClaimedStep, SuppressedUser[]>> {
  const { rows } = await client.query<FoundRow>({
    ...suppressedAmong.with({
      actionTypes: textArray(asked.map((claim) => actionTypeOf(claim) ?? '')),
      users: textArray(asked.map(({ users }) => linesOf(users))),
    }),
    rowMode: 'array',
  });
  const found = new Map<ClaimedStep, Map<string, SuppressedUser>>();
  for (const [position, user, list, note] of rows.splice(0)) {
    const claim = asked[Number(position) - 1];
    if (!claim) continue;
    const users = found.get(claim) ?? new Map<string, SuppressedUser>();
    // Of two lists, the one that is for the action type says more.
    if (!users.has(user) || list !== allActionTypes) users.set(user, { user, list, note });
    found.set(claim, users);
  }
  return new Map([...found].map(([claim, users]) => [claim, [...users.values()]]));
}

/** Separated by line breaks, which no id holds. */
function linesOf(users: UsersText): string {
  return isPlain(users) ? users.slice(1, -1).replaceAll('","', '\n') : usersOf(users).join('\n');
}

/** Adds who was suppressed to the totals; the rows of these users are written with the results. */
export const addSuppressedUsers = statementOf<{ feeds: string; steps: string; users: string; slot: number }>(
  'add-suppressed',
  ($) =>
    flowAdded(
      $('slot'),
      { suppressed: 'sum(users)' },
      `unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[], ${$('users')}::int[]) k (feed, step, users)`,
    ),
);

/** The results have to be sorted. Apart from the statement that records them: most flushes have no suppressed user. */
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
