import type { QueryClient } from '@tanstack/react-query';
import { listActionTypesOptions, listActionTypesQueryKey } from '#client/@tanstack/react-query.gen.ts';
import { rememberTitles } from '../../parts/words/action-titles.ts';

const staleAfterMs = 60_000;

/**
 * Loads the titles of action types before the first page is shown; later pages do not wait for newer ones. A page
 * without them shows names in words, so a failure keeps nobody out.
 */
export async function loadTitles(queryClient: QueryClient): Promise<void> {
  const isFirst = queryClient.getQueryData(listActionTypesQueryKey()) === undefined;
  const options = { ...listActionTypesOptions(), staleTime: staleAfterMs, retry: false };
  const loading = queryClient.query(options).then(
    ({ items }) => rememberTitles(items),
    // A page that needs action types requests them itself, and shows why it cannot have them.
    () => undefined,
  );
  if (isFirst) await loading;
}
