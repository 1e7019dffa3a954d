import { expect } from 'vitest';
import { segmentAlone } from '../../shared/contracts/runs/feed-audience.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { createRunStore } from '../../services/trigger/keep/postgres/run-store.ts';
import { createRunApprovals } from '../../services/trigger/prepare/postgres/run-approvals.ts';
import type { ClearedRun } from '../../services/trigger/ports/run-approvals.ts';
import type { apiOnPostgres } from './api-on-postgres.ts';
import type { approvalsOn, Person } from './approvals-on-api.ts';

/** Creates runs of campaigns of `people`, and applies the approval policy to them as triggers do. */
export function judgedRunsOn(on: ReturnType<typeof apiOnPostgres>, { write }: ReturnType<typeof approvalsOn>) {
  const approvals = () => createRunApprovals({ pool: on.pool });
  const runs = () => createRunStore({ pool: on.pool });
  let made = 0;

  const chainOf = (action: string) => [{ action, params: {}, unitsPerUser: 2 }];
  const writeFor = (country: string, person: Person = 'mei, manager', changes: object = {}) =>
    write(person, { countries: [country], chain: chainOf('award-reward'), ...changes });

  /** Creates a run that is to be prepared, and returns its id. */
  async function madeRun({ id }: { id: string }, parentId?: string): Promise<string> {
    const campaignId = uuidOf('campaign', id) ?? '';
    const scheduledFor = new Date(on.deps.clock.nowMs() + made++);
    return on.deps.rows.addRun({
      campaignId,
      revision: 1,
      scheduledFor,
      state: 'preparing',
      ...(parentId && { parentId }),
    });
  }

  const newRun = async (...of: Parameters<typeof writeFor>) => madeRun(await writeFor(...of));

  /** Returns the approved number of users of a run, or `waits`. */
  async function cleared(runId: string, users: Record<string, number>): Promise<unknown> {
    const answer = await approvals().clear(runId, users);
    return answer === null ? 'waits' : answer.usersAtMost;
  }

  /** Begins a run and feeds it until it has this many users, or waits. Returns the number of fed users. */
  async function fedUpTo(users: number, runId: string, { clearedBy, usersAtMost }: ClearedRun): Promise<number> {
    const audience = segmentAlone({ segment: 'lapsed-riders', snapshot: 's1', estimate: null });
    const feeds = [{ country: 'SG', audience, usersAtMost: usersAtMost?.['SG'] }];
    expect(await runs().begin(runId, feeds, 100, clearedBy)).toBe(true);
    for (;;) {
      const { rows } = await on.pool.query<{ feedId: string; fed: number; state: string }>(
        `update feeds f set fed_users = least($2::bigint, coalesce(f.max_users, $2::bigint)) from runs r
         where f.run = $1 and r.id = f.run returning f.feed as "feedId", f.fed_users::int as fed, r.state`,
        [runId, users],
      );
      const [feed] = rows;
      if (!feed || feed.fed === users || feed.state !== 'running') return feed?.fed ?? 0;
      await approvals().goBeyond({ runId, feedId: feed.feedId, country: 'SG', more: 1 });
    }
  }

  async function reasonOf(runId: string): Promise<unknown> {
    const { rows } = await on.pool.query<{ reason: string }>('select state_reason as reason from runs where id = $1', [
      runId,
    ]);
    return rows[0]?.reason;
  }

  /** Ends a run that has served this many users in SG. */
  async function end(runId: string, fedUsers: number): Promise<void> {
    await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers });
    await on.pool.query(`update runs set state = 'cancelled', ended_at = now() where id = $1`, [runId]);
  }

  return { approvals, chainOf, cleared, end, fedUpTo, madeRun, newRun, reasonOf, runs, writeFor };
}
