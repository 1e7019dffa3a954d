import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { findOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Found } from '#client/types.gen.ts';
import { audienceTarget, type FindTarget } from './find-targets.ts';

/** Searches the server for an id, or for names that contain the text, from two characters on. */
export function useFindResults(text: string): { targets: FindTarget[]; isAsking: boolean } {
  const typed = text.trim();
  const wanted = useDeferredValue(typed);
  const isLong = wanted.length >= 2;
  const { data, isFetching } = useQuery({
    ...findOptions({ query: { q: wanted } }),
    enabled: isLong,
    placeholderData: keepPreviousData,
  });
  return {
    targets: isLong ? (data?.items ?? []).flatMap(targetsOf) : [],
    isAsking: wanted !== typed || (isLong && isFetching),
  };
}

/** Converts results into targets. Results without a page of their own are omitted. */
function targetsOf({ kind, id, title }: Found): FindTarget[] {
  switch (kind) {
    case 'campaign': {
      const link = { to: '/campaigns/$campaignId', params: { campaignId: id } } as const;
      return [{ id, icon: 'campaign', label: title, kind: 'Campaign', link }];
    }
    case 'run': {
      const link = { to: '/runs/$runId', params: { runId: id } } as const;
      return [{ id, icon: 'running', label: `Run of ${title}`, kind: 'Run', link }];
    }
    case 'shard':
      return [{ id, icon: 'shards', label: title, kind: 'Shard', link: { to: '/shards', search: { shard: id } } }];
    case 'audience':
      return [audienceTarget(id, title)];
    case 'client': {
      const link = { to: '/clients/$client', params: { client: title } } as const;
      return [{ id, icon: 'key', label: title, kind: 'Client', link }];
    }
    case 'schedule':
      return [{ id, icon: 'sched', label: title, kind: 'Schedule', link: { to: '/schedules', search: { id } } }];
    case 'job': {
      const link = { to: '/jobs/$jobId', params: { jobId: id } } as const;
      return [{ id, icon: 'jobs', label: title, kind: 'Job', link }];
    }
    case 'quarantined-message': {
      const link = { to: '/quarantine', search: { id } } as const;
      return [{ id, icon: 'dead', label: title, kind: 'Quarantined message', link }];
    }
    case 'quarantined-step': {
      const link = { to: '/quarantine', search: { id } } as const;
      return [{ id, icon: 'dead', label: title, kind: 'Quarantined step', link }];
    }
    default:
      return [];
  }
}
