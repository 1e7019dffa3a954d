import type { ListedAudience } from '#client/types.gen.ts';

/** Returns a text such as `SG, ID`, or `7 countries` if there are more than six; null if there are none. */
export function formatCountries(countries: readonly string[] | null): string | null {
  if (countries === null || countries.length === 0) return null;
  return countries.length <= 6 ? countries.join(', ') : `${countries.length} countries`;
}

/** Returns the text before the time of a size: `counted`, `estimated in SG`. Empty for a list. */
export function describeSizeSource({
  kind,
  countries,
  size,
}: Pick<ListedAudience, 'kind' | 'countries' | 'size'>): string {
  if (size === null || kind === 'list') return '';
  const where = size.countries === null || isSame(size.countries, countries) ? null : formatCountries(size.countries);
  return `${size.exact ? 'counted' : 'estimated'}${where === null ? '' : ` in ${where}`}`;
}

function isSame(some: readonly string[], others: readonly string[] | null): boolean {
  return others?.length === some.length && some.every((each) => others.includes(each));
}
