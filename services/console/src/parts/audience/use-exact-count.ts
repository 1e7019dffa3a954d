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
  const [asked, setAsked] = useState<{ id: string; of: string } | null>(null);
  const id = asked?.id ?? known;
  const found = useQuery({
    ...getExactCountOptions({ path: { id: id ?? '' } }),
    enabled: id !== null,
    refetchInterval: ({ state: { data } }) => (data && isOpen(data) ? lookEveryMs : false),
  });
  const know = async (counted: ExactCount) => {
    const queryKey = getExactCountQueryKey({ path: { id: counted.id } });
    // A read that is still under way may return an older state.
    await queries.cancelQueries({ queryKey });
    queries.setQueryData(queryKey, counted);
  };
  const start = useMutation({
    mutationFn: async ({ question, anew = false }: { question: CountQuestion; anew?: boolean }) => {
      const { data } = await beginExactCount({ body: { ...question, anew }, throwOnError: true });
      await know(data);
      setAsked({ id: data.id, of: JSON.stringify(question) });
    },
  });
  const cancel = useMutation({
    mutationFn: async ({ id }: ExactCount) => {
      await know((await cancelExactCount({ path: { id }, throwOnError: true })).data);
    },
  });
  const { data: counted } = found;
  const isDone = asked !== null && counted?.id === asked.id && counted.state === 'done';
  useEffect(() => {
    // Everything that shows the estimate now shows the exact count.
    if (isDone) void queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => estimates.has(String(key)) });
  }, [isDone, queries]);
  return {
    counted,
    isOf: (question: CountQuestion) => (asked === null ? known !== null : asked.of === JSON.stringify(question)),
    isUnderWay: start.isPending || (counted !== undefined && isOpen(counted)),
    error: start.error ?? cancel.error ?? (counted === undefined ? found.error : null),
    start: start.mutate,
    cancel: cancel.mutate,
    forget: () => setAsked(null),
  };
}

export function isOpen({ state }: Pick<ExactCount, 'state'>): boolean {
  return state === 'waiting' || state === 'running';
}
