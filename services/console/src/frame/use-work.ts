import { useQuery } from '@tanstack/react-query';
import {
  countCampaignsOptions,
  groupQuarantinedMessagesOptions,
  listApprovalsOptions,
  listShardsOptions,
} from '#client/@tanstack/react-query.gen.ts';

/** How much in a part of the console waits for somebody: amber is to be watched, red to be acted on. */
export interface Work {
  count: number;
  tone: 'warn' | 'bad';
  /** `3 need attention`: what a screen reader hears. */
  words: string;
}

/** It is a sign in the corner of the eye: a minute late is soon enough. */
const askEveryMs = 60_000;

/** By the path of the entry; nothing where nobody has to do anything, or where it could not be asked. */
export function useWork(): ReadonlyMap<string, Work> {
  const asked = { refetchInterval: askEveryMs, staleTime: askEveryMs / 2 };
  const campaigns = useQuery({ ...countCampaignsOptions(), ...asked });
  const shards = useQuery({ ...listShardsOptions(), ...asked });
  const messages = useQuery({ ...groupQuarantinedMessagesOptions({ query: { state: 'kept' } }), ...asked });
  const approvals = useQuery({ ...listApprovalsOptions({ query: { state: 'waiting' } }), ...asked });
  const attention = campaigns.data?.needsAttention ?? 0;
  const down = (shards.data?.items ?? []).filter(({ breaker }) => breaker === 'open').length;
  const quarantined = (messages.data?.items ?? []).reduce((sum, { items }) => sum + items, 0);
  const waiting = approvals.data?.items.length ?? 0;
  const all: [string, Work][] = [
    ['/campaigns', { count: attention, tone: 'warn', words: `${attention} need attention` }],
    ['/approvals', { count: waiting, tone: 'warn', words: `${waiting} wait for an approval` }],
    ['/shards', { count: down, tone: 'bad', words: `${down} with an endpoint that is down` }],
    ['/quarantine', { count: quarantined, tone: 'bad', words: `${quarantined} wait for a decision` }],
  ];
  return new Map(all.filter(([, { count }]) => count > 0));
}
