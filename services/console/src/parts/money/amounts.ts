import type { BudgetFigures } from '#client/types.gen.ts';
import { typedNumber } from '../forms/typed-number.ts';
import { formatCount } from '../words/numbers.ts';

export interface BudgetSize {
  units?: number;
  amount?: string;
  currency?: string;
}

/** Formats a budget as a person types it: `1,000`, or `5,000.00 EUR`. */
export function formatTypedBudget({ units = 0, amount, currency = '' }: BudgetSize): string {
  return amount === undefined ? formatCount(units) : `${grouped(amount)} ${currency}`;
}

/** Formats a budget as `1,000 units`, or `5,000.00 EUR`. */
export function formatBudget(size: BudgetSize): string {
  return size.amount === undefined ? `${formatTypedBudget(size)} units` : formatTypedBudget(size);
}

/**
 * Parses a typed budget: a number of units (`1,000`) or an amount of money (`5,000 EUR`). Returns null if the text is
 * empty, undefined if it cannot be parsed.
 */
export function parseBudget(text: string): BudgetSize | null | undefined {
  const [, digits = '', currency = ''] = /^([\d., ]+?) *([A-Za-z]{3})$/.exec(text.trim()) ?? [];
  if (currency !== '') return { amount: digits.replaceAll(/[, ]/g, ''), currency: currency.toUpperCase() };
  const units = typedNumber(text);
  return typeof units === 'number' ? { units } : units;
}

export function sizeOf({ units, money }: Pick<BudgetFigures, 'units' | 'money'>): BudgetSize {
  return money === null ? { units: units ?? 0 } : { amount: money.amount, currency: money.currency };
}

interface Figure {
  /** Amount as a number, for shares and comparisons. */
  number: number;
  text: string;
}

export interface FormattedFigures extends Record<'all' | 'used' | 'reserved' | 'left', Figure> {
  /** Either `units`, or the currency. */
  unit: string;
}

export function figuresOf({ units, used, reserved, left, money }: Omit<BudgetFigures, 'country'>): FormattedFigures {
  const figure = (count: number | null, amount: string | undefined): Figure =>
    amount === undefined
      ? { number: count ?? 0, text: formatCount(count ?? 0) }
      : { number: Number(amount), text: grouped(amount) };
  return {
    all: figure(units, money?.amount),
    used: figure(used, money?.used),
    reserved: figure(reserved, money?.reserved),
    left: figure(left, money?.left),
    unit: money?.currency ?? 'units',
  };
}

export function formatAmount(unit: string, number: number): string {
  if (unit === 'units') return `${formatCount(number)} ${number === 1 ? 'unit' : 'units'}`;
  return `${number.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })} ${unit}`;
}

/** Formats an amount, such as `SGD 61.70`; null if the amount or its currency is null. */
export function formatMoney(amount: string | null, currency: string | null): string | null {
  return amount === null ? null : [currency ?? '', amount].join(' ').trim();
}

function grouped(amount: string): string {
  const [whole = '', ...part] = amount.split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...part].join('.');
}
