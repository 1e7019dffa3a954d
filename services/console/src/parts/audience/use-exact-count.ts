import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getExactCountOptions, getExactCountQueryKey } from '#client/@tanstack/react-query.gen.ts';
import { cancelExactCount, beginExactCount } from '#client/sdk.gen.ts';
import type { ExactCount, ExactCountRequestInput } from '#client/types.gen.ts';

export type CountQuestion = Pick<ExactCountRequestInput, 'countries' | 'audience' | 'with'>;

/** Polling interval in milliseconds. A trigger reports its progress every two seconds. */
const lookEveryMs = 1000;

/** Keys of the queries whose answers contain the size of an audience. */
const estimates = new Set(['previewCampaign', 'estimateCampaign', 'previewAudience']);

export type CountControl = ReturnType<typeof useExactCount>;

/**
 * Starts an exact count, polls it until it ends, and keeps its result when the question changes.
 * @param known id of a count that has already answered the question
 */
export function useExactCount(known: string | null = null) {
  const queries = useQueryClient();
  const [requested, setRequested] = useState<{ id: string; of: string } | null>(null);
  const id = requested?.id ?? known;
  const found = useQuery({
    ...getExactCountOptions({ path: { id: id ?? '' } }),
    enabled: id !== null,
    refetchInterval: ({ state: { data } }) => (data && isCountRunning(data) ? lookEveryMs : false),
  });
  const know = async (counted: ExactCount) => {
    const queryKey = getExactCountQueryKey({ path: { id: counted.id } });
    // A read that is still under way could replace the new state by an older one.
    await queries.cancelQueries({ queryKey });
    queries.setQueryData(queryKey, counted);
  };
  const start = useMutation({
    mutationFn: async ({ question, recount = false }: { question: CountQuestion; recount?: boolean }) => {
      const { data } = await beginExactCount({ body: { ...question, recount }, throwOnError: true });
      await know(data);
      setRequested({ id: data.id, of: JSON.stringify(question) });
    },
  });
  const cancel = useMutation({
    mutationFn: async ({ id }: ExactCount) => {
      await know((await cancelExactCount({ path: { id }, throwOnError: true })).data);
    },
  });
  const { data: counted } = found;
  const isDone = requested !== null && counted?.id === requested.id && counted.state === 'done';
  useEffect(() => {
    // Loads the estimates again, because their answers now contain the exact count.
    if (isDone) void queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => estimates.has(String(key)) });
  }, [isDone, queries]);
  return {
    counted,
    isOf: (question: CountQuestion) =>
      requested === null ? known !== null : requested.of === JSON.stringify(question),
    isUnderWay: start.isPending || (counted !== undefined && isCountRunning(counted)),
    error: start.error ?? cancel.error ?? (counted === undefined ? found.error : null),
    start: start.mutate,
    cancel: cancel.mutate,
    forget: () => setRequested(null),
  };
}

export function isCountRunning({ state }: Pick<ExactCount, 'state'>): boolean {
  return state === 'waiting' || state === 'running';
}
