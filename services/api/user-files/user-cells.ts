import type { RejectRule } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { isUserName, wordOf } from './column-names.ts';

/** Blanks at both ends of a field, including zero-width ones. */
const edges = /^[\s\u200b-\u200d\u2060\ufeff]+|[\s\u200b-\u200d\u2060\ufeff]+$/g;

export function withoutEdges(text: string): string {
  return text.replaceAll(edges, '');
}

/** Returns true if `withoutEdges` may change a text. It only looks at both ends of the text, which is fast. */
export function mayHaveEdges(text: string): boolean {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  return first <= 0x20 || last <= 0x20 || first >= 0xa0 || last >= 0xa0;
}

/** Texts that databases and spreadsheets write for a missing value, in lower case. */
const missing = new Set([
  ...['null', '(null)', '\\n', 'none', 'nan', 'undefined', 'nil', 'n/a', '#n/a', '-', '--'],
  ...['#ref!', '#value!', '#name?', '#null!', '#num!', '#div/0!', '#spill!', '#calc!'],
]);

/** Maximum length of texts that can be placeholders instead of user ids. */
const maxPlaceholderLength = 20;

/**
 * Returns the rule that a text violates if it is not a user id but a missing value or a repeated header; otherwise
 * undefined.
 * @param header name of the column of user ids; undefined for a file without a header
 */
export function ruleOfPlaceholder(text: string, header: string | undefined): 'no-value' | 'repeated-header' | null {
  if (header !== undefined && text === header) return 'repeated-header';
  if (text.length > maxPlaceholderLength || endsInDigit(text)) return null;
  if (missing.has(text.toLowerCase())) return 'no-value';
  const isHeader = header === undefined ? isUserName(text) : text.length > 1 && wordOf(text) === wordOf(header);
  return isHeader ? 'repeated-header' : null;
}

/**
 * Returns true for most user ids and for no placeholder. It is a fast check, after which most texts need not be
 * compared with placeholders.
 */
function endsInDigit(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0x30 && last <= 0x39;
}

/** Returns true for a long number that Excel has rounded, such as 6.59123E+11. */
export function isRounded(id: string): boolean {
  return id.charCodeAt(id.length - 3) === 0x2b && /^-?\d([.,]\d+)?E\+\d\d$/i.test(id);
}

export const ruleWords: Readonly<Record<RejectRule, string>> = {
  empty: 'the user id is empty',
  'too-long': 'the user id has more than 256 bytes, or the row more than 64 KiB',
  'control-character': 'the user id contains a control character',
  'lone-surrogate': 'the user id contains half of a surrogate pair',
  'not-utf-8': 'the row is not UTF-8',
  'malformed-row': 'quotes do not close, or the user id is missing',
  'too-many-columns': 'the row has more fields than there are columns',
  'missing-country': 'the row has no country',
  'unknown-country': 'the country is not configured, or outside the scope of this key',
  'second-country': 'an earlier row names this user in another country',
  'repeated-header': 'the row repeats the header',
  'no-value': 'the user id is a mark for a missing value, such as NULL or #N/A',
};
