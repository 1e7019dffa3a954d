/**
 * Money as decimal text, never as a float. Prices have up to six places, and sums of them are exact; an amount is shown
 * with two places, and with as many more as it has.
 */
const places = 6;

export const pricePattern = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/;

/** Of a price. In millionths. */
function millionthsOf(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole) * 10n ** BigInt(places) + BigInt(part.padEnd(places, '0'));
}

/** So many units at this price; `0.00` for none. @param units whole */
export function amountOf(units: number, price: string): string {
  return textOf(BigInt(units) * millionthsOf(price));
}

/** Null where there is none. */
export function sumOfAmounts(amounts: readonly string[]): string | null {
  return amounts.length === 0 ? null : textOf(amounts.reduce((sum, amount) => sum + millionthsOf(amount), 0n));
}

function textOf(millionths: bigint): string {
  const digits = millionths.toString().padStart(places + 1, '0');
  const [whole, part] = [digits.slice(0, -places), digits.slice(-places)];
  return `${whole}.${part.replace(/0{1,4}$/, '')}`;
}
