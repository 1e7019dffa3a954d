import type { RejectedRow } from '#client/types.gen.ts';

export const ruleWords: Readonly<Record<RejectedRow['rule'], string>> = {
  empty: 'User id is empty',
  'too-long': 'User id is too long',
  'control-character': 'Holds a control character',
  'lone-surrogate': 'Holds half a character',
  'not-utf-8': 'Is not UTF-8',
  'malformed-row': 'Quotes do not fit',
  'too-many-columns': 'More columns than the head',
  'missing-country': 'No country',
  'unknown-country': 'Country is not set up',
  'second-country': 'In a second country',
  'repeated-header': 'The header again',
  'no-value': 'No value, such as NULL',
};
