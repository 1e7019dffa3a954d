/**
 * Number of decimal places of prices. Money is decimal text, never a float. Sums of prices are exact; an amount is
 * shown with at least two places.
 */
const places = 6;

export const pricePattern = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/;

/** Up to 10^12: amounts in millionths fit a bigint of Postgres. */
export const amountPattern = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,6})?$/;

export function millionthsOf(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole) * 10n ** BigInt(places) + BigInt(part.padEnd(places, '0'));
}

/**
 * Returns the cost of units at this price; `0.00` for none.
 * @param units whole
 */
export function amountOf(units: number, price: string): string {
  return amountText(BigInt(units) * millionthsOf(price));
}

/** Returns null for an empty list. */
export function sumOfAmounts(amounts: readonly string[]): string | null {
  return amounts.length === 0 ? null : amountText(amounts.reduce((sum, amount) => sum + millionthsOf(amount), 0n));
}

export function amountText(millionths: bigint): string {
  const digits = millionths.toString().padStart(places + 1, '0');
  const [whole, part] = [digits.slice(0, -places), digits.slice(-places)];
  return `${whole}.${part.replace(/0{1,4}$/, '')}`;
}

/** Normalizes `5000` and `5000.0` to `5000.00`; an invalid amount is returned unchanged. */
export function normalAmount(text: string): string {
  return amountPattern.test(text) ? amountText(millionthsOf(text)) : text;
}

/** Formats an amount for people: `1,234.50 EUR`. */
export function moneyWords(amount: string, currency: string): string {
  const [whole = '', ...part] = amount.split('.');
  return `${[whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...part].join('.')} ${currency}`;
}

/** Maximum cost of a user in a step under a budget in money: up to this cost, the total of a batch is exact. */
export const mostForOne = 10_000_000;

export function isTooMuchForOne(amount: string): boolean {
  return millionthsOf(amount) > millionthsOf(String(mostForOne));
}
