import type { FedPages, OwnedFeed } from '../../../services/trigger/ports/feed-store.ts';
import { leaseMs, startRun, type ExecutionSubject } from './execution-subject.ts';

/** Creates a running run whose only feed belongs to trigger `t`. */
export async function ownedFeed(subject: ExecutionSubject): Promise<{ runId: string; feed: OwnedFeed }> {
  const { runId, owned } = await startRun(subject);
  const [feed] = owned;
  if (!feed) throw new Error('the run has no feed');
  return { runId, feed };
}

export function pagesOf({ feedId, token }: OwnedFeed, changes: Partial<FedPages> = {}): FedPages {
  const batches = [{ batchNo: 1, users: ['u1', 'u2'] }];
  return { feedId, token, batches, invalidUsers: [], cursor: 'u2', complete: false, staysStalled: false, ...changes };
}

export async function claimAgain({ feeds }: ExecutionSubject, owner = 't2'): Promise<OwnedFeed | undefined> {
  return (await feeds.claim(owner, leaseMs, 10, 'all'))[0];
}
