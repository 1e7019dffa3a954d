import { millionthsOf, moneyWords } from '../money/amounts.ts';

/**
 * A rule of an installation's policy: what it is about, above which size it asks, and for how many approvers. Without
 * any size it always asks.
 */
export interface ApprovalRule {
  /** Only users, units and money of these countries count; absent: all. */
  countries?: readonly string[] | undefined;
  usersAbove?: number | undefined;
  unitsAbove?: number | undefined;
  /** In the currency of the installation. */
  amountAbove?: string | undefined;
  approvers: number;
}

/** What a run may come to in a country, at most. */
export interface CountryReach {
  country: string;
  users: number;
  units: number;
  /** In millionths of the currency: of what has a price. */
  millionths: bigint;
  /** Of the installation; null: none is said. */
  currency: string | null;
}

export interface ApprovalNeed {
  approvers: number;
  /** For people: what made the rules ask that ask for the most. */
  why: string[];
}

/** How many have to approve what may come to this; the rule that asks for the most counts. */
export function approvalNeed(rules: readonly ApprovalRule[], reach: readonly CountryReach[]): ApprovalNeed {
  const asking = rules.map((rule) => ({ rule, why: reasonsOf(rule, reach) })).filter(({ why }) => why.length > 0);
  const approvers = Math.max(0, ...asking.map(({ rule }) => rule.approvers));
  const deciding = asking.filter(({ rule }) => rule.approvers === approvers);
  return { approvers, why: [...new Set(deciding.flatMap(({ why }) => why))] };
}

function reasonsOf(rule: ApprovalRule, reach: readonly CountryReach[]): string[] {
  const { countries, usersAbove, unitsAbove, amountAbove } = rule;
  const own = countries ? reach.filter(({ country }) => countries.includes(country)) : reach;
  if (own.length === 0) return [];
  const where = countries ? ` in ${own.map(({ country }) => country).join(', ')}` : '';
  if (usersAbove === undefined && unitsAbove === undefined && amountAbove === undefined)
    return [`every campaign${where}`];
  const beyond = (of: 'users' | 'units', above: number | undefined) => {
    const sum = own.reduce((all, each) => all + each[of], 0);
    return above !== undefined && sum > above ? [`more than ${above.toLocaleString('en-US')} ${of}${where}`] : [];
  };
  const millionths = own.reduce((all, each) => all + each.millionths, 0n);
  const isDearer = amountAbove !== undefined && millionths > millionthsOf(amountAbove);
  const money = isDearer ? [`more than ${moneyWords(amountAbove, own[0]?.currency ?? '').trim()}${where}`] : [];
  return [...beyond('users', usersAbove), ...beyond('units', unitsAbove), ...money];
}
