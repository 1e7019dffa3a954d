import { useLayoutEffect } from 'react';
import { useRemembered } from './remembered.ts';

export const colourSchemes = ['system', 'light', 'dark'] as const;
export type ColourScheme = (typeof colourSchemes)[number];

/** Which of the two themes this browser shows; that of the system unless one was chosen. */
export function useColourScheme(): [ColourScheme, (scheme: ColourScheme) => void] {
  const [stored, store] = useRemembered('theme');
  const scheme = colourSchemes.find((each) => each === stored) ?? 'system';
  return [scheme, (next) => store(next === 'system' ? null : next)];
}

/** Before the page is painted; the tokens read it from the root element. */
export function useThemeOfPage(): void {
  const [scheme] = useColourScheme();
  useLayoutEffect(() => {
    const { documentElement } = document;
    if (scheme === 'system') delete documentElement.dataset['theme'];
    else documentElement.dataset['theme'] = scheme;
  }, [scheme]);
}
