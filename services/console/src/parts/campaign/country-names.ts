const names = new Intl.DisplayNames('en', { type: 'region' });

/** `Singapore` for SG; the code where there is no such country. */
export function countryName(country: string): string {
  try {
    return names.of(country) ?? country;
  } catch {
    return country;
  }
}
