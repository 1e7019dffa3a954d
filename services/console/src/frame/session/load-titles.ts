import type { QueryClient } from '@tanstack/react-query';
import { listActionTypesOptions, listActionTypesQueryKey } from '#client/@tanstack/react-query.gen.ts';
import { rememberTitles } from '../../parts/words/action-titles.ts';

const staleAfterMs = 60_000;

/**
 * Loads the titles of action types before the first page renders; later pages do not wait for newer titles. A page
 * without titles shows names in words, so a failure does not block the log-in.
 */
export async function loadTitles(queryClient: QueryClient): Promise<void> {
  const isFirst = queryClient.getQueryData(listActionTypesQueryKey()) === undefined;
  const options = { ...listActionTypesOptions(), staleTime: staleAfterMs, retry: false };
  const loading = queryClient.query(options).then(
    ({ items }) => rememberTitles(items),
    // The failure is ignored here: a page that needs action types requests them itself, and shows the error.
    () => undefined,
  );
  if (isFirst) await loading;
}
