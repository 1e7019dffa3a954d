import { useSyncExternalStore } from 'react';

/** As in `theme/widths.css`. */
const query = '(max-width: 720px)';

function subscribe(listener: () => void): () => void {
  const list = matchMedia(query);
  list.addEventListener('change', listener);
  return () => list.removeEventListener('change', listener);
}

/**
 * Whether the page is as narrow as a phone. For what is too large to be there twice: elsewhere the classes `narrow` and
 * `wide` choose.
 */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
