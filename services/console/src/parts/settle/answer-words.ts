import type { ActionType } from '#client/types.gen.ts';
import type { Effect } from '../overlays/effects.tsx';
import { formatCount } from '../words/numbers.ts';
import type { Way } from './settle-draft.ts';
import type { UnknownLine } from './unknown-lines.ts';
import { quotedTitleOf } from '../words/action-titles.ts';

/** @param types undefined while they are loaded */
export function whoIsUnknown(
  { step, action, users, countries }: UnknownLine,
  types: readonly Pick<ActionType, 'name' | 'class'>[] | undefined,
): Effect {
  const places = countries.map((each) => `${each.country} ${formatCount(each.users)}`).join(', ');
  const type = types?.find(({ name }) => name === action);
  const source = type ? ` ${type.class === 'C' ? 'Its status endpoint can be asked.' : onlyBooks}` : '';
  return {
    ...{ key: String(step), value: formatCount(users), unit: users === 1 ? 'user' : 'users', isHot: true },
    ...{ lead: `Step ${step}, ${quotedTitleOf(action)}:`, children: `${places}.${source}` },
  };
}

const onlyBooks = 'It has no status endpoint: only the books of its team can tell.';

export function meanings(way: Way): Effect[] {
  return [succeeded, failed, ...(way === 'status' ? [notFound, noAnswer] : way === 'file' ? [notInFile] : [])];
}

const succeeded: Effect = {
  ...{ value: 'Served', unit: 'succeeded' },
  children: 'Counts as succeeded in its step. Later steps of this run stay skipped: nobody goes on by it.',
};

const failed: Effect = {
  ...{ value: 'Failed', unit: 'not served' },
  children: 'Counts as failed, with the reason that is said, and can be tried again. Its units go back to the budget.',
};

const notFound: Effect = {
  ...{ value: 'Not found', unit: 'never arrived' },
  children: 'Counts as failed with muster.never-applied.',
};

const noAnswer: Effect = {
  ...{ value: 'Other', unit: 'in progress' },
  children: 'In progress, or not answered: stays unknown, and can be asked for again.',
};

const notInFile: Effect = { value: 'Not in it', unit: 'no line', children: 'Stays unknown.' };

/** Changes that were made before the API refused the request. */
export const changedBefore: Readonly<Record<Way, string>> = {
  status: 'Nothing was asked.',
  file: 'Lines that it says were settled count; the same file may be sent again.',
  hand: 'Nothing was settled.',
};
