import { amountText, millionthsOf, moneyWords } from '../money/amounts.ts';

/**
 * A rule of an installation's approval policy: its countries, the size above which it requires an approval, and the
 * number of approvers. A rule without any size always requires an approval.
 */
export interface ApprovalRule {
  /** Countries whose users, units and money count; undefined means all. */
  countries?: readonly string[] | undefined;
  usersAbove?: number | undefined;
  unitsAbove?: number | undefined;
  amountAbove?: string | undefined;
  approvers: number;
}

export interface CountryReach {
  country: string;
  users: number;
  units: number;
  /** Millionths of the currency; covers only steps that have a price. */
  millionths: bigint;
  /** Currency of the installation; null if none is configured. */
  currency: string | null;
}

/**
 * Sum of the starts without an approval within the last 24 hours. A sum covers one account, one person, or all
 * campaigns with one action type in one country.
 */
export interface UnapprovedStartTotal {
  /** Words that follow the size of the sum in messages for people, such as `by mei`. */
  words: string;
  /** Country of the sum; null: all countries together. */
  country: string | null;
  reach: readonly CountryReach[];
}

export interface ApprovalNeed {
  approvers: number;
  /** Reasons of the rules that require the most approvers, as texts for people. */
  why: string[];
}

/**
 * Returns the number of people who have to approve a start of this size. The rule that requires most approvers counts.
 * @param sums of earlier starts without an approval: rules judge each of them together with this start
 */
export function approvalNeed(
  rules: readonly ApprovalRule[],
  reach: readonly CountryReach[],
  sums: readonly UnapprovedStartTotal[] = [],
): ApprovalNeed {
  const asking = rules.map((rule) => ({ rule, why: reasonsOf(rule, reach, sums) })).filter(({ why }) => why.length > 0);
  const approvers = Math.max(0, ...asking.map(({ rule }) => rule.approvers));
  const deciding = asking.filter(({ rule }) => rule.approvers === approvers);
  return { approvers, why: [...new Set(deciding.flatMap(({ why }) => why))] };
}

function reasonsOf(
  rule: ApprovalRule,
  reach: readonly CountryReach[],
  sums: readonly UnapprovedStartTotal[],
): string[] {
  const own = coveredBy(rule, reach);
  if (own.length === 0) return [];
  const where = wordsOf(rule, own);
  const limits = limitsOf(rule, own[0]?.currency ?? '');
  if (limits.length === 0) return [`every campaign${where}`];
  const size = sizeOf(own);
  const alone = limits.filter((limit) => limit.isBelow(size)).map(({ words }) => `more than ${words}${where}`);
  if (alone.length > 0) return alone;
  // Only the first sum of unapproved starts with reasons is reported. The sums of a person and of their account are
  // often the same, so further reasons would be repeats.
  return sums.map((sum) => reasonsOfSum(rule, own, sum)).find((why) => why.length > 0) ?? [];
}

/** Returns an empty list if the sum is within the rule, or if no country of `own` counts in the sum. */
function reasonsOfSum(rule: ApprovalRule, own: readonly CountryReach[], sum: UnapprovedStartTotal): string[] {
  const added = own.filter(({ country }) => sum.country === null || country === sum.country);
  const before = coveredBy(rule, sum.reach);
  if (added.length === 0 || before.length === 0) return [];
  const where = sum.country === null ? wordsOf(rule, added) : '';
  const [more, already, together] = [sizeOf(added), sizeOf(before), sizeOf([...added, ...before])];
  return limitsOf(rule, own[0]?.currency ?? '')
    .filter((limit) => !limit.isNothing(more) && limit.isBelow(together))
    .map(
      ({ words, figureOf }) =>
        `more than ${words}${where} within 24 hours ${sum.words}: ` +
        `${figureOf(already)} set going without approval already, ${figureOf(more)} with this`,
    );
}

function coveredBy({ countries }: ApprovalRule, reach: readonly CountryReach[]): readonly CountryReach[] {
  return countries ? reach.filter(({ country }) => countries.includes(country)) : reach;
}

function wordsOf({ countries }: ApprovalRule, own: readonly CountryReach[]): string {
  return countries ? ` in ${own.map(({ country }) => country).join(', ')}` : '';
}

type Size = Pick<CountryReach, 'users' | 'units' | 'millionths'>;

function sizeOf(reach: readonly CountryReach[]): Size {
  return {
    users: reach.reduce((sum, { users }) => sum + users, 0),
    units: reach.reduce((sum, { units }) => sum + units, 0),
    millionths: reach.reduce((sum, { millionths }) => sum + millionths, 0n),
  };
}

interface Limit {
  /** Formatted size, such as `2,000 users`. */
  words: string;
  isBelow: (size: Size) => boolean;
  isNothing: (size: Size) => boolean;
  figureOf: (size: Size) => string;
}

function limitsOf({ usersAbove, unitsAbove, amountAbove }: ApprovalRule, currency: string): Limit[] {
  const counted = (of: 'users' | 'units', above: number | undefined): Limit[] => {
    if (above === undefined) return [];
    const figure = (count: number) => `${count.toLocaleString('en-US')} ${of}`;
    return [
      {
        words: figure(above),
        isBelow: (size) => size[of] > above,
        isNothing: (size) => size[of] === 0,
        figureOf: (size) => figure(size[of]),
      },
    ];
  };
  const inMoney = (above: string | undefined): Limit[] => {
    if (above === undefined) return [];
    const figure = (amount: string) => moneyWords(amount, currency).trim();
    return [
      {
        words: figure(above),
        isBelow: ({ millionths }) => millionths > millionthsOf(above),
        isNothing: ({ millionths }) => millionths === 0n,
        figureOf: ({ millionths }) => figure(amountText(millionths)),
      },
    ];
  };
  return [...counted('users', usersAbove), ...counted('units', unitsAbove), ...inMoney(amountAbove)];
}
