import type { BudgetFigures } from '#client/types.gen.ts';
import { typedNumber } from '../forms/typed-number.ts';
import { formatCount } from '../words/numbers.ts';

export interface BudgetSize {
  units?: number;
  amount?: string;
  currency?: string;
}

/** Formats a budget as a person types it: `1,000`, or `5,000.00 EUR`. */
export function budgetText({ units = 0, amount, currency = '' }: BudgetSize): string {
  return amount === undefined ? formatCount(units) : `${grouped(amount)} ${currency}`;
}

/** Formats a budget as `1,000 units`, or `5,000.00 EUR`. */
export function budgetWords(size: BudgetSize): string {
  return size.amount === undefined ? `${budgetText(size)} units` : budgetText(size);
}

/** Parses a typed budget: `1,000`, or `5,000 EUR`. Null if the text is empty, undefined if it is neither. */
export function typedBudget(text: string): BudgetSize | null | undefined {
  const [, digits = '', currency = ''] = /^([\d., ]+?) *([A-Za-z]{3})$/.exec(text.trim()) ?? [];
  if (currency !== '') return { amount: digits.replaceAll(/[, ]/g, ''), currency: currency.toUpperCase() };
  const units = typedNumber(text);
  return typeof units === 'number' ? { units } : units;
}

export function sizeOf({ units, money }: Pick<BudgetFigures, 'units' | 'money'>): BudgetSize {
  return money === null ? { units: units ?? 0 } : { amount: money.amount, currency: money.currency };
}

interface Figure {
  /** Value for shares and comparisons. */
  number: number;
  text: string;
}

export interface ShownFigures extends Record<'all' | 'used' | 'reserved' | 'left', Figure> {
  /** Either `units`, or the currency. */
  unit: string;
}

export function figuresOf({ units, used, reserved, left, money }: Omit<BudgetFigures, 'country'>): ShownFigures {
  const of = (count: number | null, amount: string | undefined): Figure =>
    amount === undefined
      ? { number: count ?? 0, text: formatCount(count ?? 0) }
      : { number: Number(amount), text: grouped(amount) };
  return {
    all: of(units, money?.amount),
    used: of(used, money?.used),
    reserved: of(reserved, money?.reserved),
    left: of(left, money?.left),
    unit: money?.currency ?? 'units',
  };
}

export function formatIn(unit: string, number: number): string {
  if (unit === 'units') return `${formatCount(number)} ${number === 1 ? 'unit' : 'units'}`;
  return `${number.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })} ${unit}`;
}

function grouped(amount: string): string {
  const [whole = '', ...part] = amount.split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...part].join('.');
}
