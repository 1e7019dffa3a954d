const ours = 'en';

/**
 * Replaces an invalid language of the browser, such as `C`, which comes from its environment. With an invalid language
 * every formatter throws, and uPlot creates one as soon as it is loaded: call this before any view is loaded.
 */
export function ensureLanguage(browser: Pick<Navigator, 'language'>): void {
  if (isLanguage(browser.language)) return;
  Object.defineProperty(browser, 'language', { value: ours, configurable: true });
}

/** Returns true if the text is a language tag by BCP 47. */
function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
