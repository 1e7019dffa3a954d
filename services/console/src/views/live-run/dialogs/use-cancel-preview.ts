import { useQuery } from '@tanstack/react-query';
import { previewCancelOptions } from '#client/@tanstack/react-query.gen.ts';

/**
 * Counts the users that a decision on a run affects. Each dialog counts again, because the answer of an earlier dialog
 * is outdated.
 * @param refetchInterval milliseconds after which an open dialog counts again
 */
export function useCancelPreview(runId: string, refetchInterval: number | false = false) {
  return useQuery({ ...previewCancelOptions({ path: { id: runId } }), gcTime: 0, refetchInterval });
}
