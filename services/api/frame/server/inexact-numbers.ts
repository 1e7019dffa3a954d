/**
 * This file finds numbers in a JSON text whose value would change when parsed: JSON numbers may have any length, while
 * JavaScript numbers have 53 bits. For example, a reward id of 19 digits would become the id of another reward.
 */

/** Number whose parsed value differs from its text. */
export interface InexactNumber {
  path: string[];
  code: string;
  detail: string;
}

/**
 * Returns false quickly for most bodies: a number of at most 15 digits with an exponent of at most two digits never
 * changes. A string that looks like a longer number causes a needless scan. Ids in strings do not, because the pattern
 * expects a bracket, comma, colon or blank before the number.
 */
export function hasNumbersAtRisk(text: string): boolean {
  return /(?:^|[\s:,[])-?(?:[\d.]{16}|[\d.]{0,15}\d[eE][+-]?\d{3})/.test(text);
}

/** List or object around the current position. `name` is the part of the path inside it. */
interface Around {
  isList: boolean;
  /** In a list: index of the element. In an object: position in the text at which the quoted name begins. */
  name: number;
  /** Parsed name of the field; set once a problem was found inside its value. */
  read?: string;
}

const quote = '"';
const numberPattern = /-?[\d.]+(?:[eE][+-]?\d+)?/y;

/**
 * Finds the first numbers that parsing changes, in the order of the text. It reads each character once and creates no
 * values: a parser that calls a function for each value takes a hundred times as long.
 * @param text valid JSON whose depth is within the limit
 */
export function findInexactNumbers(text: string, most: number): InexactNumber[] {
  const found: InexactNumber[] = [];
  const around: Around[] = [];
  let isName = false;
  for (let at = 0; at < text.length && found.length < most; at++) {
    const character = text.charAt(at);
    const inside = around.at(-1);
    switch (character) {
      case quote:
        if (isName && inside) {
          inside.name = at;
          delete inside.read;
        }
        isName = false;
        at = endOfText(text, at);
        break;
      case '{':
      case '[':
        around.push({ isList: character === '[', name: character === '[' ? 0 : at });
        isName = character === '{';
        break;
      case '}':
      case ']':
        around.pop();
        isName = false;
        break;
      case ',':
        if (inside?.isList) inside.name++;
        else isName = true;
        break;
      default: {
        if (character !== '-' && (character < '0' || character > '9')) break;
        numberPattern.lastIndex = at;
        const source = numberPattern.exec(text)?.[0] ?? character;
        const problem = problemOf(source);
        if (problem) found.push({ path: around.map((each) => nameIn(text, each)), ...problem });
        at += source.length - 1;
      }
    }
  }
  return found;
}

/** Returns the index of the closing quote of a string. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf(quote, start + 1); ; end = text.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (text.charAt(end - 1 - escapes) === '\\') escapes++;
    if (end < 0 || escapes % 2 === 0) return end < 0 ? text.length : end;
  }
}

function nameIn(text: string, inside: Around): string {
  const { isList, name } = inside;
  if (isList) return String(name);
  inside.read ??= String(JSON.parse(text.slice(name, endOfText(text, name) + 1)));
  return inside.read;
}

function problemOf(source: string): { code: string; detail: string } | undefined {
  const read = Number(source);
  if (isExact(source, read)) return undefined;
  const written = source.length <= 40 ? source : `${source.slice(0, 40)}…`;
  if (!Number.isFinite(read)) {
    return { code: 'out-of-range', detail: `${written} is larger than the largest number that can be stored` };
  }
  const detail = `${written} would become ${String(read)}: write it as a string, "${written}"`;
  return { code: 'inexact-number', detail };
}

/**
 * Returns true if parsing keeps the number. Whole numbers beyond ±2^53 always count as changed, because only some of
 * them would survive by chance.
 */
function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const isShort = source.length <= 15 && Math.abs(value) > 1e-300;
  if (isShort) return true;
  const [written, read] = [decimalOf(source), decimalOf(String(value))];
  return written.digits === read.digits && (written.digits === '' || written.exponent === read.exponent);
}

/** Splits a number into its digits, without leading and trailing zeros, and the power of ten of the last digit. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = text.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  return { digits: significant, exponent: Number(power) - fraction.length + digits.length - significant.length };
}
