const names = new Intl.DisplayNames('en', { type: 'region' });

/** Returns the name of a country, such as `Singapore` for SG; the code if there is no such country. */
export function countryName(country: string): string {
  try {
    return names.of(country) ?? country;
  } catch {
    return country;
  }
}
