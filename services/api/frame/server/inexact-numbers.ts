/**
 * Numbers of a JSON text that would not be the same number any more once they are read: JSON knows numbers of any
 * length, and those who read it know 53 bits. A reward's id of 19 digits would become the id of another reward.
 */

/**
 * A cheap look first: no number of at most 15 digits and an exponent of at most two is changed. Texts that look like
 * one are a false alarm; ids do not, since a number stands behind a bracket, a comma, a colon or a blank.
 */
export function hasNumbersAtRisk(text: string): boolean {
  return /(?:^|[\s:,[])-?(?:[\d.]{16}|[\d.]{0,15}\d[eE][+-]?\d{3})/.test(text);
}

/** Stands where a number stood that cannot be read as it was written. */
export class InexactNumber {
  readonly source: string;
  readonly read: number;

  constructor(source: string, read: number) {
    this.source = source;
    this.read = read;
  }

  problem(): { code: string; detail: string } {
    const written = this.source.length <= 40 ? this.source : `${this.source.slice(0, 40)}…`;
    if (!Number.isFinite(this.read)) {
      return { code: 'out-of-range', detail: `${written} is larger than any number that can be kept here` };
    }
    const detail = `${written} would become ${String(this.read)}: write it as a string, "${written}"`;
    return { code: 'inexact-number', detail };
  }
}

/**
 * The value of a JSON text, with marks in the place of numbers that it changes. Walks with the stack: not for texts of
 * unknown depth.
 */
export function parseMarkingInexact(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return isExact(context.source, value) ? value : new InexactNumber(context.source, value);
  };
  const value: unknown = JSON.parse(text, reviver);
  return value;
}

/**
 * Whole numbers beyond ±2^53 are refused also where they happen to survive: which of two neighbouring ids does is
 * chance.
 */
function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const isShort = source.length <= 15 && Math.abs(value) > 1e-300;
  if (isShort) return true;
  const [written, read] = [decimalOf(source), decimalOf(String(value))];
  return written.digits === read.digits && (written.digits === '' || written.exponent === read.exponent);
}

/** A decimal number as its digits without zeros around them, and the power of ten that the last of them stands for. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = text.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  return { digits: significant, exponent: Number(power) - fraction.length + digits.length - significant.length };
}
