import type { CampaignDefinitionInput, CampaignPreview } from '#client/types.gen.ts';
import { formatCountKind, formatUserCount, partOfCount, type UserCount } from '../audience/user-count.ts';
import { formatTypedBudget } from '../money/amounts.ts';
import type { Effect } from '../overlays/effects.tsx';
import { formatDuration } from '../times/times.ts';
import { countOf, formatCount } from '../words/numbers.ts';
import { callsOf, heldOutUsersOf, servedUsersOf, formatExpectedDuration } from './arithmetic.ts';
import { dividedShare, formatUsersOfVariants, nameWithShare, splitOf } from './variant-words.ts';
import { quotedTitleOf, titlesOf } from '../words/action-titles.ts';

type Started = Omit<CampaignDefinitionInput, 'name' | 'schedule'>;

const defaultDeadlineSeconds = 86_400;
const defaultMinUsers = 1000;

/**
 * Returns the effects of a start: users, hold-out, canary, calls, duration, and the limits that end or pause the run.
 * @param size null if unknown; `asking` while the request for the size is in progress
 * @param preview null until it is loaded
 */
export function startEffects(
  campaign: Started,
  size: UserCount | 'asking' | null,
  preview: Pick<CampaignPreview, 'load' | 'takesSeconds'> | null,
): Effect[] {
  return [
    ...usersEffects(campaign, size),
    ...variantsEffects(campaign, size),
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

function usersEffects({ audience, chain, countries }: Started, size: UserCount | 'asking' | null): Effect[] {
  if (size === 'asking')
    return [{ value: 'loading…', unit: 'users', isHot: true, children: 'The sources are being queried.' }];
  if (size === null) {
    return [{ value: 'not known', unit: 'users', isHot: true, children: 'The audience could not be estimated.' }];
  }
  const { holdOutPercent = 0 } = audience;
  const served = servedUsersOf(size, holdOutPercent);
  const first = quotedTitleOf(chain[0]?.action ?? '');
  return [
    {
      value: formatUserCount(served),
      unit: `users, ${formatCountKind(served)}`,
      isHot: true,
      children: `get the first step, ${first}, in ${countries.join(', ')}.`,
    },
    ...(holdOutPercent === 0
      ? []
      : [
          {
            value: formatUserCount(heldOutUsersOf(size, holdOutPercent)),
            unit: 'users held out',
            children: `${holdOutPercent} % of ${formatUserCount(size)} users get nothing, for comparison.`,
          },
        ]),
  ];
}

function variantsEffects({ audience, chain, canary }: Started, size: UserCount | 'asking' | null): Effect[] {
  const variants = splitOf(chain);
  if (variants.length === 0) return [];
  const shares = variants.map(nameWithShare).join(' · ');
  const served = size === 'asking' || size === null ? null : servedUsersOf(size, audience.holdOutPercent ?? 0);
  const share = dividedShare(canary);
  const divided = served === null ? null : partOfCount(served, share);
  const users = divided === null ? shares : `${formatUsersOfVariants(divided, variants)} users`;
  const children =
    share === 1
      ? `${users}. Each user keeps the same variant in the whole run.`
      : `${users} of the canary. All others get the variant that a person chooses after the canary.`;
  return [{ value: formatCount(variants.length), unit: 'variants', children }];
}

function canaryEffects(canary: Started['canary']): Effect[] {
  if (canary === undefined) return [];
  const { users, percent, maxFailedPercent, then: decision } = canary;
  const value = users === undefined ? `${percent ?? 0} %` : formatCount(users);
  const unit = users === undefined ? 'of each country' : 'users';
  const then =
    decision === 'choose-variant'
      ? 'Then the run pauses until a person chooses the variant of all other users.'
      : maxFailedPercent === undefined
        ? 'Then the run pauses until a person resumes it.'
        : `Then the run pauses if more than ${maxFailedPercent} % of them failed; otherwise it continues.`;
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
  const value = preview === null ? '…' : formatExpectedDuration(preview.takesSeconds);
  const isKnown = preview !== null && preview.takesSeconds !== null;
  return {
    value: isKnown ? value : preview === null ? value : 'not known',
    unit: 'duration',
    children:
      pace === undefined
        ? 'No pace is set: as fast as the endpoints allow.'
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
        ? 'The run does not pause automatically, regardless of how many users fail.'
        : `The run pauses automatically if more users fail in a step. This applies from ${countOf(least ?? defaultMinUsers, 'user')} on.`,
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
  return `${budget.country} ${formatTypedBudget(budget)}${budget.units === undefined ? '' : ' units'}`;
}
