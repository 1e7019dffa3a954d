import { useQuery } from '@tanstack/react-query';
import { previewCancelOptions } from '#client/@tanstack/react-query.gen.ts';

/**
 * Counts the users that a decision on a run concerns. Each dialog counts anew: an answer that an earlier dialog has
 * shown is of another moment.
 * @param refetchInterval milliseconds after which an open dialog counts again
 */
export function useCancelPreview(runId: string, refetchInterval: number | false = false) {
  return useQuery({ ...previewCancelOptions({ path: { id: runId } }), gcTime: 0, refetchInterval });
}
