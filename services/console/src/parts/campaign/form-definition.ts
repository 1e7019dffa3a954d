import type { Campaign, CampaignDefinitionInput } from '#client/types.gen.ts';
import type { LocalProblem } from '../forms/schema-values.ts';
import { typedNumber } from '../forms/typed-number.ts';
import { formatTypedBudget, parseBudget } from '../money/amounts.ts';
import { spanOf } from '../when/durations.ts';
import { emptyForm, type CampaignForm, type StepForm } from './form.ts';
import { newParams, paramsFormOf, typedParams, type Types } from './params-form.ts';
import { splitIndexOf, variantFormsOf, variantsOfStep } from './variant-forms.ts';
import { entryOf, sourceOf } from '../audience/source-form.ts';
import { scheduleOf, secondsOf, whenOf } from '../when/when-form.ts';

export interface TypedDefinition {
  /** The definition as typed. The API validates it and reports all problems at once. */
  definition: CampaignDefinitionInput;
  /** Problems that no definition can contain: texts that are not a number, or not JSON. */
  problems: LocalProblem[];
}

export type DefinedCampaign = Pick<
  Campaign,
  | 'name'
  | 'countries'
  | 'audience'
  | 'chain'
  | 'splitSeed'
  | 'schedule'
  | 'deadlineSeconds'
  | 'priority'
  | 'budgets'
  | 'paceUsersPerSecond'
  | 'pauseAtFailedPercent'
  | 'pauseAtFailedMinUsers'
  | 'canary'
  | 'savedAudience'
>;

export function definitionOf(form: CampaignForm, types: Types): TypedDefinition {
  const problems: LocalProblem[] = [];
  const number = <Name extends string>(name: Name, text: string, pointer = `/${name}`): Partial<Record<Name, number>> =>
    numberAt(name, text, pointer, problems);
  const when = scheduleOf(form.when, form.countries);
  const deadlineSeconds = secondsOf(form.deadline, '/deadlineSeconds', problems);
  const budgets = budgetsOf(form, problems);
  const definition = {
    name: form.name,
    countries: [...form.countries],
    audience: {
      include: form.include.map(entryOf),
      ...(form.exclude.length === 0 ? {} : { exclude: form.exclude.map(entryOf) }),
      ...number('holdOutPercent', form.holdOutPercent, '/audience/holdOutPercent'),
      ...(form.holdOutSeed === '' ? {} : { holdOutSeed: form.holdOutSeed }),
    },
    ...(form.savedAudience && { savedAudience: form.savedAudience }),
    chain: form.steps.map((step, index) => stepOf(step, index, form, types, problems)),
    ...(splitIndexOf(form.steps) >= 0 && form.splitSeed !== '' && { splitSeed: form.splitSeed }),
    schedule: when.schedule,
    ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
    priority: form.priority,
    ...(budgets.length === 0 ? {} : { budgets }),
    ...number('paceUsersPerSecond', form.pace),
    ...number('pauseAtFailedPercent', form.pauseAtFailedPercent),
    ...number('pauseAtFailedMinUsers', form.pauseAtFailedMinUsers),
    ...canaryOf(form, splitIndexOf(form.steps) >= 0, problems),
  };
  return { definition, problems: [...problems, ...when.problems] };
}

type CanaryForm = Pick<CampaignForm, 'canary' | 'canaryThen'>;

/**
 * Returns true if a variant may be chosen after the canary: there are variants, and the canary is a percentage. A choice
 * that was made before stays visible, so that a person who types another size sees why it is refused.
 */
export function offersChoice({ canary, canaryThen }: CanaryForm, hasVariants: boolean): boolean {
  return hasVariants && canary.trim() !== '' && (canary.trim().endsWith('%') || canaryThen === 'choose-variant');
}

/** Returns true if a person chooses one variant for all other users after the canary. */
export function choosesVariant(form: CanaryForm, hasVariants: boolean): boolean {
  return form.canaryThen === 'choose-variant' && offersChoice(form, hasVariants);
}

/** Returns the canary of a form; empty if none is typed. Adds what is wrong with it to the problems. */
export function canaryOf(
  form: CanaryForm & Pick<CampaignForm, 'canaryMaxFailedPercent'>,
  hasVariants: boolean,
  problems: LocalProblem[],
) {
  const text = form.canary.trim();
  if (text === '') return {};
  const size = text.endsWith('%')
    ? numberAt('percent', text.slice(0, -1), '/canary', problems)
    : numberAt('users', text, '/canary', problems);
  // A person always decides about the variant, so no limit of failures continues the run.
  if (choosesVariant(form, hasVariants)) return { canary: { ...size, then: 'choose-variant' as const } };
  const limit = numberAt('maxFailedPercent', form.canaryMaxFailedPercent, '/canary/maxFailedPercent', problems);
  return { canary: { ...size, then: 'pause' as const, ...limit } };
}

function stepOf(
  step: StepForm,
  index: number,
  { steps, variants }: CampaignForm,
  types: Types,
  problems: LocalProblem[],
) {
  const pointer = `/chain/${index}`;
  const isSplit = splitIndexOf(steps) === index;
  const sent =
    step.ofVariants === null
      ? { params: ownParams(step, `${pointer}/params`, types, problems) }
      : variantsOfStep(step, { variants, isSplit, pointer, types }, problems);
  const units = numberAt('unitsPerUser', step.unitsPerUser, `${pointer}/unitsPerUser`, problems);
  const check = step.check === '' ? {} : { check: { type: step.check, onUnavailable: step.onUnavailable } };
  return { action: step.action, ...sent, ...units, ...check };
}

function ownParams(step: StepForm, pointer: string, types: Types, problems: LocalProblem[]) {
  const typed = typedParams(step, step.action, types);
  problems.push(...typed.problems.map((each) => ({ ...each, pointer: `${pointer}${each.pointer}` })));
  return typed.value;
}

/** Returns the countries with a typed budget, in the order of the form's countries. */
export function budgetCountries({ budgets, countries }: Pick<CampaignForm, 'budgets' | 'countries'>): string[] {
  return countries.filter((country) => (budgets[country] ?? '').trim() !== '');
}

function budgetsOf(form: CampaignForm, problems: LocalProblem[]) {
  return budgetCountries(form).flatMap((country, index) => {
    const text = form.budgets[country] ?? '';
    const size = parseBudget(text);
    const detail = `has to be units, or money such as 5,000 EUR, not “${text}”`;
    if (!size) problems.push({ pointer: `/budgets/${index}`, detail });
    // An invalid budget is kept as 0, so that the indexes of the others do not shift.
    return [{ country, ...(size ?? { units: 0 }) }];
  });
}

function numberAt<Name extends string>(
  name: Name,
  text: string,
  pointer: string,
  problems: LocalProblem[],
): Partial<Record<Name, number>> {
  const none: Partial<Record<Name, number>> = {};
  const number = typedNumber(text);
  if (number === null) return none;
  if (number !== undefined) return Object.assign(none, { [name]: number });
  problems.push({ pointer, detail: `has to be a number, not “${text}”` });
  return none;
}

/** Converts an existing definition into a form. @param zone time zone of the user */
export function formOf(campaign: DefinedCampaign, types: Types, zone: string): CampaignForm {
  const { audience } = campaign;
  const { variants, ofVariants } = variantFormsOf(campaign.chain, types);
  const text = (number: number | undefined) => (number === undefined ? '' : String(number));
  return {
    name: campaign.name,
    countries: campaign.countries,
    include: audience.include.map(sourceOf),
    exclude: (audience.exclude ?? []).map(sourceOf),
    savedAudience: campaign.savedAudience ?? null,
    holdOutPercent: text(audience.holdOutPercent),
    holdOutSeed: audience.holdOutSeed ?? '',
    steps: campaign.chain.map((each, index) => {
      const { action, params, unitsPerUser, check } = each;
      const checked = check && { check: check.type, onUnavailable: check.onUnavailable };
      const step = { ...newStep(action, types, `step-${index + 1}`), unitsPerUser: text(unitsPerUser), ...checked };
      return { ...step, ...paramsFormOf(params, action, types), ofVariants: ofVariants(each) };
    }),
    variants,
    splitSeed: campaign.splitSeed ?? '',
    budgets: Object.fromEntries((campaign.budgets ?? []).map((budget) => [budget.country, formatTypedBudget(budget)])),
    when: whenOf(campaign.schedule, zone),
    pace: text(campaign.paceUsersPerSecond),
    deadline: spanOf(campaign.deadlineSeconds),
    pauseAtFailedPercent: text(campaign.pauseAtFailedPercent),
    pauseAtFailedMinUsers: text(campaign.pauseAtFailedMinUsers),
    canary: canaryText(campaign.canary),
    canaryThen: campaign.canary?.then ?? 'pause',
    canaryMaxFailedPercent: text(campaign.canary?.maxFailedPercent),
    priority: campaign.priority,
  };
}

function canaryText(canary: DefinedCampaign['canary']): string {
  if (canary === undefined) return '';
  return canary.users === undefined ? `${canary.percent ?? ''} %` : String(canary.users);
}

export function newStep(action: string, types: Types, key: string): StepForm {
  return {
    key,
    action,
    ...newParams(action, types),
    ofVariants: null,
    unitsPerUser: '',
    check: '',
    onUnavailable: 'wait',
  };
}

/** @param zone time zone of the user @param beginning fields that are known already, such as the audience */
export function newForm(zone: string, beginning: Partial<CampaignForm> = {}): CampaignForm {
  return { ...emptyForm, when: whenOf(undefined, zone), ...beginning };
}
