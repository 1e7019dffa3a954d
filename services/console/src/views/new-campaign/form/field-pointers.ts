import { fieldsOf, leavesOf } from '../../../parts/forms/schema-fields.ts';
import { budgetCountries, choosesVariant, offersChoice } from '../../../parts/campaign/form-definition.ts';
import type { CampaignForm, StepForm } from '../../../parts/campaign/form.ts';
import { schemaOf, type ParamsForm, type Types } from '../../../parts/campaign/params-form.ts';
import { splitIndexOf } from '../../../parts/campaign/variant-forms.ts';
import type { WhenForm } from '../../../parts/when/when-form.ts';

export function fieldPointers(form: CampaignForm, types: Types): ReadonlySet<string> {
  const entries = (role: 'include' | 'exclude') => form[role].map((_, index) => `/audience/${role}/${index}`);
  return new Set([
    ...['/name', '/countries', '/audience/include', '/audience/exclude', ...entries('include'), ...entries('exclude')],
    ...['/audience/holdOutPercent', '/audience/holdOutSeed', '/chain', '/budgets'],
    ...form.steps.flatMap((step, index) => stepPointers(step, index, form.variants, types)),
    '/splitSeed',
    ...budgetCountries(form).map((_, index) => `/budgets/${index}`),
    ...whenPointers(form.when, form.countries),
    ...['/paceUsersPerSecond', '/deadlineSeconds', '/pauseAtFailedPercent', '/pauseAtFailedMinUsers', '/priority'],
    ...canaryPointers(form),
  ]);
}

/** Returns the fields of the canary. Problems with fields that are not displayed are shown at the canary itself. */
function canaryPointers(form: CampaignForm): string[] {
  const hasVariants = splitIndexOf(form.steps) >= 0;
  return [
    '/canary',
    ...(offersChoice(form, hasVariants) ? ['/canary/then'] : []),
    ...(form.canary !== '' && !choosesVariant(form, hasVariants) ? ['/canary/maxFailedPercent'] : []),
  ];
}

function stepPointers(step: StepForm, index: number, variants: CampaignForm['variants'], types: Types): string[] {
  const at = `/chain/${index}`;
  const { action, ofVariants } = step;
  const params =
    ofVariants === null
      ? paramsPointers(`${at}/params`, step, action, types)
      : variants.flatMap(({ key }, place) => {
          const variant = `${at}/variants/${place}`;
          const form = ofVariants[key];
          const inside = form ? paramsPointers(`${variant}/params`, form, action, types) : [];
          return [`${variant}/name`, `${variant}/weight`, ...inside];
        });
  return [at, ...(ofVariants === null ? [] : [`${at}/variants`]), ...params, `${at}/unitsPerUser`, `${at}/check/type`];
}

function paramsPointers(params: string, { asJson }: ParamsForm, action: string, types: Types): string[] {
  const fields = asJson ? null : fieldsOf(schemaOf(action, types));
  return [params, ...(fields === null ? [] : leavesOf(fields).map(({ pointer }) => `${params}${pointer}`))];
}

/**
 * Returns the pointer of the field that shows a problem. Parameters that all variants of a step share have no field of
 * their own: their problems are shown at the first variant.
 */
export function displayedPointer(pointer: string, { steps }: Pick<CampaignForm, 'steps'>): string {
  const [, index = '', inside = ''] = /^\/chain\/(\d+)\/params(.*)$/.exec(pointer) ?? [];
  const hasVariants = (steps[Number(index)]?.ofVariants ?? null) !== null;
  return index !== '' && hasVariants ? `/chain/${index}/variants/0/params${inside}` : pointer;
}

function whenPointers({ kind, rule }: WhenForm, countries: readonly string[]): string[] {
  const named = (...fields: string[]) => fields.map((field) => `/schedule/${field}`);
  switch (kind) {
    case 'now':
      return ['/schedule'];
    case 'at':
      return ['/schedule', ...named('time', 'zone', 'catchUpSeconds')];
    case 'local':
      return ['/schedule', ...named('time', 'catchUpSeconds', ...countries.map((country) => `zones/${country}`))];
    case 'recurring':
      return [
        '/schedule',
        ...named(
          rule === 'cron' ? 'cron' : 'everySeconds',
          'zone',
          'from',
          'until',
          'misfire',
          'overlap',
          'catchUpSeconds',
        ),
      ];
  }
}
