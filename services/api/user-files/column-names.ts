/** Common names of columns of user ids, in the form that `wordOf` returns, the preferred names first. */
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

/** Pattern of words that are names of columns rather than ids, optionally followed by a number. */
const columnWord =
  /^(e?mail(address)?|phone(number)?|mobile|msisdn|tel|(first|last|full)?name|address(line)?|column|col|field|attr(ibute)?|country|market|date|note|tag|status|line|row)\d*$/;

/** Returns a name in a form for comparison: in lower case, without blanks, `_`, `-`, `.` and zero-width characters. */
export function wordOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.\-\u200b-\u200d\u2060\ufeff]/g, '');
}

export function isUserName(name: string): boolean {
  return userNames.includes(wordOf(name));
}

/**
 * Returns the index of the column that has a common name for user ids; if several have, the one with the preferred
 * name. Returns -1 if none has.
 */
export function userColumnOf(names: readonly string[]): number {
  return preferred(names, userNames);
}

/** Returns the index of the column that has a common name for countries; -1 if none has. */
export function countryColumnOf(names: readonly string[]): number {
  return preferred(names, countryNames);
}

function preferred(names: readonly string[], known: readonly string[]): number {
  const words = names.map(wordOf);
  const best = known.find((name) => words.includes(name));
  return best === undefined ? -1 : words.indexOf(best);
}

/**
 * Returns the index of the column with the name in the request, compared exactly or in the form of `wordOf`; -1 if
 * there is none.
 */
export function namedColumn(name: string, names: readonly string[]): number {
  const exact = names.indexOf(name.trim());
  return exact >= 0 ? exact : names.map(wordOf).indexOf(wordOf(name));
}

/**
 * Returns true if a text looks like a user id and not like the name of a column: it has a digit, is an email address,
 * or is a single character. Names of columns consist of words of letters, with or without blanks.
 */
export function looksLikeId(text: string): boolean {
  const id = text.trim();
  if (/\S\s+\S/.test(id)) return false;
  const word = wordOf(id);
  if (columnWord.test(word)) return false;
  if (word.length === 1) return !/^\p{P}$/u.test(word);
  return word === '' ? id === '' : /\p{N}/u.test(word) || /[^@]@[^@]/.test(word) || hasControl(word);
}

/** Returns true for a text with a control character. Such a text is a rejected row, not the name of a column. */
function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
