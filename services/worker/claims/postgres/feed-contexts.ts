import type { Pool } from 'pg';
import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { admissionOf } from '../../../../shared/domain/run/admission.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import type { FeedAdmission, FeedContexts } from '../../../../shared/ports/step-ledger.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';

interface ContextRow {
  feedId: string;
  runId: string;
  campaignId: string;
  country: string;
  chain: ChainStep[];
  unitsPerUser: number[] | null;
}

/** Params come out of jsonb in its own order of keys, always the same: the bytes sent for a request key never vary. */
const loadContexts = `
  select f.feed as "feedId", f.run as "runId", r.campaign as "campaignId", f.country, c.definition -> 'chain' as chain,
    f.step_units as "unitsPerUser"
  from feeds f
  join runs r on r.id = f.run
  join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  where f.feed = any($1::uuid[])`;

/**
 * Totals are a row per worker slot, so this reads slots times steps rows of each feed; a worker asks for the feeds that
 * it serves.
 */
const readAdmissions = `
  select f.feed as "feedId", f.run as "runId", r.state,
    (extract(epoch from r.deadline_at - now()) * 1000)::float8 as "deadlineInMs", s.steps
  from unnest($1::uuid[]) k (feed)
  join feeds f on f.feed = k.feed
  join runs r on r.id = f.run
  cross join lateral (
    select coalesce(json_agg(json_build_object('step', step, 'succeeded', coalesce(t.succeeded, 0), 'refused', coalesce(t.refused, 0),
      'hold', case when h.cause is not null then json_build_object('cause', h.cause, 'tryDue', h.next_try_at <= now()) end)
      order by step), '[]') as steps
    from (
      select step, sum(succeeded) as succeeded, sum(refused) as refused from run_totals where feed = f.feed group by step
    ) t full join (select step, cause, next_try_at from holds where feed = f.feed) h using (step)
  ) s`;

type AdmissionRow = Omit<FeedAdmission, 'verdict'> & { state: RunState };

export function createFeedContexts({ pool }: { pool: Pool }): FeedContexts {
  return {
    load: async (feedIds) => {
      const values = [plainArray(feedIds)];
      const { rows } = await pool.query<ContextRow>({ name: 'load-contexts', text: loadContexts, values });
      return rows;
    },
    admissions: async (feedIds) => {
      const values = [plainArray(feedIds)];
      const { rows } = await pool.query<AdmissionRow>({ name: 'read-admissions', text: readAdmissions, values });
      return rows.map(({ state, ...row }) => ({ ...row, verdict: admissionOf(state, row.deadlineInMs <= 0) }));
    },
  };
}
