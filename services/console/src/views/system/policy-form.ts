import type { ApprovalPolicy, ApprovalPolicyRulesInput, ApprovalRule, System } from '#client/types.gen.ts';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { formatTypedBudget } from '../../parts/money/amounts.ts';
import { countOf } from '../../parts/words/numbers.ts';

/** A rule as it is typed. An empty field means no limit. */
export interface RuleForm {
  /** Identifies the rule when rules before it are added or removed. */
  key: string;
  /** Codes separated by commas or blanks. Empty means all countries. */
  countries: string;
  usersAbove: string;
  unitsAbove: string;
  /** Decimal number, optionally with commas between thousands. */
  amountAbove: string;
  /** Number from `1` to `5`. */
  approvers: string;
}

export interface PolicyForm {
  rules: readonly RuleForm[];
  approversSignIn: boolean;
}

export const maxRules = 50;

export const approverCounts = ['1', '2', '3', '4', '5'] as const;

/** Permits commas only between thousands: a decimal comma would otherwise make the limit a hundred times higher. */
const decimal = /^(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/;

const emptyRule = { countries: '', usersAbove: '', unitsAbove: '', amountAbove: '', approvers: '1' };

export function formOf({ rules, approversSignIn }: ApprovalPolicy): PolicyForm {
  const typed = (bound: number | undefined) => (bound === undefined ? '' : String(bound));
  return {
    rules: rules.map(({ countries, usersAbove, unitsAbove, amountAbove, approvers }, index) => ({
      key: `rule-${index + 1}`,
      countries: countries?.join(', ') ?? '',
      usersAbove: typed(usersAbove),
      unitsAbove: typed(unitsAbove),
      amountAbove: amountAbove ?? '',
      approvers: String(approvers),
    })),
    approversSignIn,
  };
}

export function addRule(form: PolicyForm): PolicyForm {
  const taken = form.rules.map(({ key }) => Number(key.replace('rule-', '')));
  return { ...form, rules: [...form.rules, { ...emptyRule, key: `rule-${Math.max(0, ...taken) + 1}` }] };
}

/** Converts the form into a policy; undefined if a limit is not a number. */
export function policyOf({ rules, approversSignIn }: PolicyForm): ApprovalPolicyRulesInput | undefined {
  const read = rules.map(ruleOf).filter((rule) => rule !== undefined);
  return read.length === rules.length ? { rules: read, approversSignIn } : undefined;
}

/** Converts a rule for the API, which validates countries and the amount; undefined if a limit is not a number. */
export function ruleOf({ approvers, ...typed }: RuleForm): ApprovalRule | undefined {
  const [usersAbove, unitsAbove] = [typedNumber(typed.usersAbove), typedNumber(typed.unitsAbove)];
  if (usersAbove === undefined || unitsAbove === undefined) return undefined;
  const countries = typed.countries
    .toUpperCase()
    .split(/[\s,]+/)
    .filter((code) => code !== '');
  const amountAbove = typed.amountAbove.trim();
  if (amountAbove !== '' && !decimal.test(amountAbove)) return undefined;
  return {
    ...(countries.length > 0 && { countries }),
    ...(usersAbove !== null && { usersAbove }),
    ...(unitsAbove !== null && { unitsAbove }),
    ...(amountAbove !== '' && { amountAbove: amountAbove.replaceAll(',', '') }),
    approvers: Number(approvers),
  };
}

/**
 * Describes a rule: `A campaign with more than 100,000 users or more than 10,000 units in SG, ID needs 2 approvers.`
 * @param currency null if unknown to the user
 */
export function describeRule(rule: ApprovalRule, currency: string | null): string {
  const { countries, usersAbove, unitsAbove, amountAbove, approvers } = rule;
  const sizes = [
    ...(usersAbove === undefined ? [] : [`more than ${countOf(usersAbove, 'user')}`]),
    ...(unitsAbove === undefined ? [] : [`more than ${countOf(unitsAbove, 'unit')}`]),
    ...(amountAbove === undefined ? [] : [`costs of more than ${amountWords(amountAbove, currency)}`]),
  ];
  const where = countries === undefined ? '' : ` in ${countries.join(', ')}`;
  const which = sizes.length === 0 ? 'Every campaign' : `A campaign with ${sizes.join(' or ')}`;
  return `${which}${where} needs ${countOf(approvers, 'approver')}.`;
}

function amountWords(amount: string, currency: string | null): string {
  return formatTypedBudget({ amount, currency: currency ?? '' }).trim();
}

export function describeApprovers(approversSignIn: boolean): string {
  return approversSignIn
    ? 'Only people who sign in with the identity provider approve; votes of API keys do not count.'
    : 'People who sign in approve, and API keys that have an owner.';
}

/** Describes the effect of a policy change on campaigns that await an approval. */
export function describePolicyChange(before: Pick<ApprovalPolicy, 'approversSignIn'>, after: PolicyForm): string {
  const votes =
    after.approversSignIn && !before.approversSignIn
      ? ' Votes of API keys no longer count, including earlier ones.'
      : '';
  return `The new rules apply to each start. A waiting approval needs as many approvers as when it was submitted, or more if the new rules require more.${votes}`;
}

/** Returns the currency of the installation; null if it has none, or the configuration is hidden from the user. */
export function currencyOf({ configuration }: Pick<System, 'configuration'>): string | null {
  return configuration?.find(({ name }) => name === 'MUSTER_CURRENCY')?.value ?? null;
}
