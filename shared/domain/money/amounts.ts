/**
 * Money as decimal text, never as a float. Prices have up to six places, and sums of them are exact; an amount is shown
 * with two places, and with as many more as it has.
 */
const places = 6;

export const pricePattern = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/;

/** Up to a million millions: in millionths it fits what Postgres counts in. */
export const amountPattern = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,6})?$/;

/** Of a price, or an amount. */
export function millionthsOf(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole) * 10n ** BigInt(places) + BigInt(part.padEnd(places, '0'));
}

/** So many units at this price; `0.00` for none. @param units whole */
export function amountOf(units: number, price: string): string {
  return amountText(BigInt(units) * millionthsOf(price));
}

/** Null where there is none. */
export function sumOfAmounts(amounts: readonly string[]): string | null {
  return amounts.length === 0 ? null : amountText(amounts.reduce((sum, amount) => sum + millionthsOf(amount), 0n));
}

export function amountText(millionths: bigint): string {
  const digits = millionths.toString().padStart(places + 1, '0');
  const [whole, part] = [digits.slice(0, -places), digits.slice(-places)];
  return `${whole}.${part.replace(/0{1,4}$/, '')}`;
}

/** `5000` and `5000.0` are `5000.00`; what is no amount stays as it is. */
export function normalAmount(text: string): string {
  return amountPattern.test(text) ? amountText(millionthsOf(text)) : text;
}

/** For people: `1,234.50 EUR`. */
export function moneyWords(amount: string, currency: string): string {
  const [whole = '', ...part] = amount.split('.');
  return `${[whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...part].join('.')} ${currency}`;
}

/** What a user costs in a step at most, under a budget in money: a batch of them is counted exactly up to it. */
export const mostForOne = 10_000_000;

export function isTooMuchForOne(amount: string): boolean {
  return millionthsOf(amount) > millionthsOf(String(mostForOne));
}
