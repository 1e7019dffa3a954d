import type { RejectedRow } from '#client/types.gen.ts';

export const ruleWords: Readonly<Record<RejectedRow['rule'], string>> = {
  empty: 'User id is empty',
  'too-long': 'User id is too long',
  'control-character': 'Contains a control character',
  'lone-surrogate': 'Contains an incomplete character',
  'not-utf-8': 'Is not UTF-8',
  'malformed-row': 'Quotes do not match',
  'too-many-columns': 'More columns than the header',
  'missing-country': 'No country',
  'unknown-country': 'Country is not configured',
  'second-country': 'User is in a second country',
  'repeated-header': 'Repeated header',
  'no-value': 'No value, such as NULL',
};
