import type { ActionType } from '#client/types.gen.ts';
import type { Effect } from '../overlays/effects.tsx';
import { formatCount } from '../words/numbers.ts';
import type { SettleWay } from './settle-draft.ts';
import type { UnknownLine } from './unknown-lines.ts';
import { quotedTitleOf } from '../words/action-titles.ts';

/** @param types undefined while they are loaded */
export function unknownEffect(
  { step, action, users, countries }: UnknownLine,
  types: readonly Pick<ActionType, 'name' | 'class'>[] | undefined,
): Effect {
  const places = countries.map((each) => `${each.country} ${formatCount(each.users)}`).join(', ');
  const type = types?.find(({ name }) => name === action);
  const source = type ? ` ${type.class === 'C' ? 'Its status endpoint can be queried.' : onlyBooks}` : '';
  return {
    key: String(step),
    value: formatCount(users),
    unit: users === 1 ? 'user' : 'users',
    isHot: true,
    lead: `Step ${step}, ${quotedTitleOf(action)}:`,
    children: `${places}.${source}`,
  };
}

const onlyBooks = 'It has no status endpoint: use the records of its team.';

export function effectsOfWay(way: SettleWay): Effect[] {
  return [succeeded, failed, ...(way === 'status' ? [notFound, noAnswer] : way === 'file' ? [notInFile] : [])];
}

const succeeded: Effect = {
  value: 'Served',
  unit: 'succeeded',
  children: 'Counts as succeeded in its step. Later steps of this run stay skipped.',
};

const failed: Effect = {
  value: 'Failed',
  unit: 'not served',
  children: 'Counts as failed, with the given reason, and can be retried. Its units return to the budget.',
};

const notFound: Effect = {
  value: 'Not found',
  unit: 'never arrived',
  children: 'Counts as failed with muster.never-applied.',
};

const noAnswer: Effect = {
  value: 'Other',
  unit: 'in progress',
  children: 'In progress, or no answer: stays unknown, and can be queried again.',
};

const notInFile: Effect = { value: 'Not in the file', unit: 'no line', children: 'Stays unknown.' };

/** Describes what may have changed although the API refused the request. */
export const partialChanges: Readonly<Record<SettleWay, string>> = {
  status: 'The endpoint was not queried.',
  file: 'Lines reported as settled count. You can send the same file again.',
  hand: 'Nothing was settled.',
};
