import { useSyncExternalStore } from 'react';

/** Same width as in `theme/widths.css`. */
const query = '(max-width: 720px)';

function subscribe(listener: () => void): () => void {
  const list = matchMedia(query);
  list.addEventListener('change', listener);
  return () => list.removeEventListener('change', listener);
}

/**
 * Returns true if the page is as narrow as a phone. Use it only for content that is too large to render twice. For
 * other content, use the CSS classes `narrow` and `wide`.
 */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
