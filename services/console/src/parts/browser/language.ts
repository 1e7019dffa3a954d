/** What the console speaks. */
const ours = 'en';

/**
 * A browser may say a language that is none, such as `C`, which it has from its environment. Whatever formats by it
 * throws, and uPlot does so as soon as it is loaded: so this comes before any view.
 */
export function ensureLanguage(browser: Pick<Navigator, 'language'>): void {
  if (isLanguage(browser.language)) return;
  Object.defineProperty(browser, 'language', { value: ours, configurable: true });
}

/** Whether it is a language tag by BCP 47. */
function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
