/** Common and former names of countries that are not in the Unicode CLDR. */
const otherNames: Readonly<Record<string, string>> = {
  uk: 'GB',
  'great britain': 'GB',
  england: 'GB',
  usa: 'US',
  'united states of america': 'US',
  'viet nam': 'VN',
  korea: 'KR',
  'republic of korea': 'KR',
  turkey: 'TR',
  'czech republic': 'CZ',
  'ivory coast': 'CI',
  burma: 'MM',
  'russian federation': 'RU',
  'hong kong': 'HK',
  macau: 'MO',
  macao: 'MO',
  myanmar: 'MM',
  holland: 'NL',
};

let known: ReadonlyMap<string, string> | undefined;

/**
 * Returns the ISO 3166-1 alpha-2 code for an English name, or for a code in upper or lower case; null if there is none.
 */
export function countryCodeOf(text: string): string | null {
  const word = text.trim();
  if (/^[a-z]{2}$/i.test(word) && word.toLowerCase() !== 'uk') return word.toUpperCase();
  known ??= namedCountries();
  return known.get(word.toLowerCase()) ?? null;
}

function namedCountries(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const named = codes.flatMap((code): [string, string][] => {
    const name = names.of(code);
    // A code that is no longer used becomes the code of the country that replaced it.
    return name === undefined ? [] : [[name.toLowerCase(), new Intl.Locale(`und-${code}`).region ?? code]];
  });
  return new Map([...named, ...Object.entries(otherNames)]);
}
