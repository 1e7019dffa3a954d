import type { ActionType } from '#client/types.gen.ts';
import { fieldsOf, leavesOf } from '../../../parts/forms/schema-fields.ts';
import { budgetCountries } from '../../../parts/campaign/form-definition.ts';
import type { CampaignForm, StepForm } from '../../../parts/campaign/form.ts';
import type { WhenForm } from '../../../parts/when/when-form.ts';

type Types = readonly Pick<ActionType, 'name' | 'paramsSchema'>[];

export function fieldPointers(form: CampaignForm, types: Types): ReadonlySet<string> {
  const entries = (role: 'include' | 'exclude') => form[role].map((_, index) => `/audience/${role}/${index}`);
  return new Set([
    ...['/name', '/countries', '/audience/include', '/audience/exclude', ...entries('include'), ...entries('exclude')],
    ...['/audience/holdOutPercent', '/audience/holdOutSeed', '/chain', '/budgets'],
    ...form.steps.flatMap((step, index) => stepPointers(step, index, types)),
    ...budgetCountries(form).map((_, index) => `/budgets/${index}`),
    ...whenPointers(form.when, form.countries),
    ...['/paceUsersPerSecond', '/deadlineSeconds', '/pauseAtFailedPercent', '/pauseAtFailedMinUsers', '/priority'],
    ...['/canary', '/canary/maxFailedPercent'],
  ]);
}

function stepPointers({ action, asJson }: StepForm, index: number, types: Types): string[] {
  const schema = types.find(({ name }) => name === action)?.paramsSchema;
  const fields = asJson ? null : fieldsOf(schema);
  const params = `/chain/${index}/params`;
  const leaves = fields === null ? [] : leavesOf(fields).map(({ pointer }) => `${params}${pointer}`);
  return [`/chain/${index}`, params, ...leaves, `/chain/${index}/unitsPerUser`, `/chain/${index}/check/type`];
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
