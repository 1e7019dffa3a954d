import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { previewRecurrence } from '#client/sdk.gen.ts';
import type { SchedulePreview } from '#client/types.gen.ts';
import { useDebounced } from '../forms/use-debounced.ts';
import { scheduleOf, type WhenForm } from './when-form.ts';

export interface NextFires {
  fires: SchedulePreview['fires'] | undefined;
  zone: string;
  isBehind: boolean;
  error: unknown;
}

/** Requests the next starts of a rule from the API, once the user has not typed for 400 ms. */
export function useNextFires(when: WhenForm): NextFires {
  const { schedule, problems } = scheduleOf({ ...when, kind: 'recurring' }, []);
  const settled = useDebounced(schedule, 400);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['previewRecurrence', settled.written],
    queryFn: async ({ signal }) => {
      if (settled.value.type !== 'recurring') return null;
      const { type: _, ...recurrence } = settled.value;
      return (await previewRecurrence({ body: { ...recurrence, count: 5 }, signal, throwOnError: true })).data;
    },
    enabled: problems.length === 0,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  return {
    fires: data?.fires,
    zone: data?.zone ?? when.zone,
    isBehind: isPlaceholderData || settled.isBehind,
    error,
  };
}
