/** Names of columns of user ids as `wordOf` returns them, the preferred ones first. */
const userNames = [
  ...['userid', 'useruid', 'customerid', 'memberid', 'contactid', 'subscriberid', 'recipientid', 'profileid'],
  ...[
    'personid',
    'clientid',
    'accountid',
    'externaluserid',
    'externalid',
    'uid',
    'userids',
    'uuid',
    'guid',
    'id',
    'user',
  ],
];

const countryNames = ['country', 'countrycode', 'countryiso', 'isocountry', 'isocountrycode', 'countryname'];

/** Words that name a column and are not ids, optionally followed by a number. */
const columnWord =
  /^(e?mail(address)?|phone(number)?|mobile|msisdn|tel|(first|last|full)?name|address(line)?|column|col|field|attr(ibute)?|country|market|date|note|tag|status|line|row)\d*$/;

/** Normalizes a name: lower case, without blanks, `_`, `-`, `.` and zero-width characters. */
export function wordOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.\-\u200b-\u200d\u2060\ufeff]/g, '');
}

export function isUserName(name: string): boolean {
  return userNames.includes(wordOf(name));
}

/** Returns the index of the column with a common name of user ids, the preferred one of several; -1 if none has. */
export function userColumnOf(names: readonly string[]): number {
  return preferred(names, userNames);
}

/** Returns the index of the column with a common name of countries; -1 if none has. */
export function countryColumnOf(names: readonly string[]): number {
  return preferred(names, countryNames);
}

function preferred(names: readonly string[], known: readonly string[]): number {
  const words = names.map(wordOf);
  const best = known.find((name) => words.includes(name));
  return best === undefined ? -1 : words.indexOf(best);
}

/** Returns the index of the column that the caller names, by its exact or normalized name; -1 if there is none. */
export function namedColumn(name: string, names: readonly string[]): number {
  const exact = names.indexOf(name.trim());
  return exact >= 0 ? exact : names.map(wordOf).indexOf(wordOf(name));
}

/**
 * Returns true if a text looks like a user id rather than a column name: it has a digit, is an e-mail address or a
 * single character. Words of letters, and words separated by blanks, name a column.
 */
export function looksLikeId(text: string): boolean {
  const id = text.trim();
  if (/\S\s+\S/.test(id)) return false;
  const word = wordOf(id);
  if (columnWord.test(word)) return false;
  if (word.length === 1) return !/^\p{P}$/u.test(word);
  return word === '' ? id === '' : /\p{N}/u.test(word) || /[^@]@[^@]/.test(word) || hasControl(word);
}

/** Returns true for a text with a control character, which is a rejected row and not a column name. */
function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
