import type { CampaignDefinitionInput, CampaignPreview } from '#client/types.gen.ts';
import { kindWords, numberWords, type HowMany } from '../audience/how-many.ts';
import { budgetText } from '../money/budget-words.ts';
import type { Effect } from '../overlays/effects.tsx';
import { formatDuration } from '../times/times.ts';
import { countOf, formatCount } from '../words/numbers.ts';
import { callsOf, heldOutOf, servedOf, takesText } from './arithmetic.ts';
import { quotedTitleOf, titlesOf } from '../words/action-titles.ts';

type Started = Omit<CampaignDefinitionInput, 'name' | 'schedule'>;

const defaultDeadlineSeconds = 86_400;
const defaultMinUsers = 1000;

/**
 * Returns the effects of a start: users, hold-out, canary, calls, duration, and the limits that end or pause the run.
 * @param size null if unknown; `asking` while it is loaded
 * @param preview null until it is loaded
 */
export function startEffects(
  campaign: Started,
  size: HowMany | 'asking' | null,
  preview: Pick<CampaignPreview, 'load' | 'takesSeconds'> | null,
): Effect[] {
  return [
    ...usersEffects(campaign, size),
    ...canaryEffects(campaign.canary),
    ...callsEffects(campaign, preview),
    paceEffect(campaign, preview),
    deadlineEffect(campaign),
    failureEffect(campaign),
    ...budgetEffects(campaign.budgets),
  ];
}

export const changeableLater =
  'Later you can change pace, deadline, priority, failure limit and budgets, and pause or cancel. Audience and steps are fixed once it has started.';

function usersEffects({ audience, chain, countries }: Started, size: HowMany | 'asking' | null): Effect[] {
  if (size === 'asking') return [{ value: 'asking…', unit: 'users', isHot: true, children: 'The sources are asked.' }];
  if (size === null) {
    return [{ value: 'not known', unit: 'users', isHot: true, children: 'The audience could not be estimated.' }];
  }
  const { holdOutPercent = 0 } = audience;
  const served = servedOf(size, holdOutPercent);
  const first = quotedTitleOf(chain[0]?.action ?? '');
  return [
    {
      value: numberWords(served),
      unit: `users, ${kindWords(served)}`,
      isHot: true,
      children: `get the first step, ${first}, in ${countries.join(', ')}.`,
    },
    ...(holdOutPercent === 0
      ? []
      : [
          {
            value: numberWords(heldOutOf(size, holdOutPercent)),
            unit: 'users held out',
            children: `${holdOutPercent} % of ${numberWords(size)} users get nothing, for comparison.`,
          },
        ]),
  ];
}

function canaryEffects(canary: Started['canary']): Effect[] {
  if (canary === undefined) return [];
  const { users, percent, maxFailedPercent } = canary;
  const value = users === undefined ? `${percent ?? 0} %` : formatCount(users);
  const unit = users === undefined ? 'of each country' : 'users';
  const then =
    maxFailedPercent === undefined
      ? 'Then the run pauses until a person resumes it.'
      : `Then the run pauses if more than ${maxFailedPercent} % of them failed; else it goes on.`;
  return [{ key: 'canary', value, unit: `canary, ${unit}`, children: `are called first. ${then}` }];
}

function callsEffects({ chain }: Started, preview: Pick<CampaignPreview, 'load'> | null): Effect[] {
  if (preview === null) return [];
  const calls = callsOf(preview.load);
  const steps = titlesOf(chain);
  return [
    {
      value: calls === null ? 'not known' : formatCount(calls),
      unit: 'calls at most',
      children: `through ${chain.length === 1 ? 'one step' : `${chain.length} steps`}: ${steps}.`,
    },
  ];
}

function paceEffect(
  { paceUsersPerSecond: pace }: Started,
  preview: Pick<CampaignPreview, 'takesSeconds'> | null,
): Effect {
  const value = preview === null ? '…' : takesText(preview.takesSeconds);
  const isKnown = preview !== null && preview.takesSeconds !== null;
  return {
    value: isKnown ? value : preview === null ? value : 'not known',
    unit: 'duration',
    children:
      pace === undefined
        ? 'No pace is set: as fast as the receivers take it.'
        : `The pace is at most ${countOf(pace, 'user')} a second.`,
  };
}

function deadlineEffect({ deadlineSeconds = defaultDeadlineSeconds }: Started): Effect {
  return {
    value: formatDuration(deadlineSeconds * 1000),
    unit: 'deadline',
    children: 'after the start. Users who are not called by then expire.',
  };
}

function failureEffect({ pauseAtFailedPercent: percent, pauseAtFailedMinUsers: least }: Started): Effect {
  return {
    value: percent === undefined ? 'none' : `${percent} %`,
    unit: 'failure limit',
    children:
      percent === undefined
        ? 'The run does not pause by itself, however many users fail.'
        : `The run pauses by itself if more users than that fail in a step, judged from ${countOf(least ?? defaultMinUsers, 'user')} on.`,
  };
}

function budgetEffects(budgets: Started['budgets'] = []): Effect[] {
  if (budgets.length === 0) return [];
  return [
    {
      value: formatCount(budgets.length),
      unit: budgets.length === 1 ? 'budget' : 'budgets',
      children: `${budgets.map(budgetWords).join(' · ')}. A country whose budget is used up pauses.`,
    },
  ];
}

function budgetWords(budget: NonNullable<Started['budgets']>[number]): string {
  return `${budget.country} ${budgetText(budget)}${budget.units === undefined ? '' : ' units'}`;
}
