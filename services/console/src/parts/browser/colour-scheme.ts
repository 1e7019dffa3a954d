import { useLayoutEffect } from 'react';
import { useStoredSetting } from './stored-setting.ts';

export const colourSchemes = ['system', 'light', 'dark'] as const;
export type ColourScheme = (typeof colourSchemes)[number];

/** Returns the theme that the user chose in this browser, and a setter. Default: the theme of the system. */
export function useColourScheme(): [ColourScheme, (scheme: ColourScheme) => void] {
  const [stored, store] = useStoredSetting('theme');
  const scheme = colourSchemes.find((each) => each === stored) ?? 'system';
  return [scheme, (next) => store(next === 'system' ? null : next)];
}

/** Sets the theme on the root element, where the tokens read it, before the browser paints the page. */
export function useThemeOfPage(): void {
  const [scheme] = useColourScheme();
  useLayoutEffect(() => {
    const { documentElement } = document;
    if (scheme === 'system') delete documentElement.dataset['theme'];
    else documentElement.dataset['theme'] = scheme;
  }, [scheme]);
}
