import { useQuery } from '@tanstack/react-query';
import {
  countCampaignsOptions,
  countQuarantinedOptions,
  listApprovalsOptions,
  listShardsOptions,
} from '#client/@tanstack/react-query.gen.ts';

/** Number of entries in a view that need attention: amber means watch, red means act. */
export interface Work {
  count: number;
  tone: 'warn' | 'bad';
  /** Text for screen readers, such as `3 need attention`. */
  words: string;
}

/** Polling interval in milliseconds. A delay of one minute is acceptable for these badges. */
const askEveryMs = 60_000;

/**
 * Returns the number of items that need a person, by the path of their entry in the sidebar. A path is missing if there
 * are none, or if the request failed.
 */
export function useWork(): ReadonlyMap<string, Work> {
  const polling = { refetchInterval: askEveryMs, staleTime: askEveryMs / 2 };
  const campaigns = useQuery({ ...countCampaignsOptions(), ...polling });
  const shards = useQuery({ ...listShardsOptions(), ...polling });
  const quarantine = useQuery({ ...countQuarantinedOptions(), ...polling });
  const approvals = useQuery({ ...listApprovalsOptions({ query: { state: 'waiting' } }), ...polling });
  const attention = campaigns.data?.needsAttention ?? 0;
  const down = (shards.data?.items ?? []).filter(({ breaker }) => breaker === 'open').length;
  const { job = 0, message = 0, step = 0 } = quarantine.data ?? {};
  const quarantined = job + message + step;
  const waiting = approvals.data?.items.length ?? 0;
  const all: [string, Work][] = [
    ['/campaigns', { count: attention, tone: 'warn', words: `${attention} need attention` }],
    ['/approvals', { count: waiting, tone: 'warn', words: `${waiting} wait for an approval` }],
    ['/shards', { count: down, tone: 'bad', words: `${down} with an endpoint that is down` }],
    ['/quarantine', { count: quarantined, tone: 'bad', words: `${quarantined} wait for a decision` }],
  ];
  return new Map(all.filter(([, { count }]) => count > 0));
}
