import type { Pool } from 'pg';
import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { chainOfVariant } from '../../../../shared/contracts/campaigns/variants.ts';
import { admissionOf } from '../../../../shared/domain/run/admission.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import type {
  FeedAdmission,
  FeedContext,
  FeedContexts,
  StepAcceptance,
} from '../../../../shared/ports/feed-contexts.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';

/**
 * Reads contexts of feeds. Postgres returns a jsonb value with its keys in an order that never varies, and the params
 * of a variant replace or add keys in that order. So the bytes that are sent under a request key are always the same.
 */
export const loadContexts = `
  select f.feed as "feedId", f.run as "runId", r.campaign as "campaignId", f.country, f.variant,
    c.definition -> 'chain' as chain,
    f.step_units::float8[] as "unitsPerUser", r.step_modes as "stepModes"
  from feeds f
  join runs r on r.id = f.run
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  where f.feed = any($1::uuid[])`;

/**
 * Reads admissions of feeds. Holds are rare: for a feed without holds, the query reads only the row of the feed and the
 * row of its run.
 */
const readAdmissions = `
  select f.feed as "feedId", f.run as "runId", r.state,
    (extract(epoch from r.deadline_at - now()) * 1000)::float8 as "deadlineInMs", h.holds
  from unnest($1::uuid[]) k (feed)
  join feeds f on f.feed = k.feed
  join runs r on r.id = f.run
  cross join lateral (
    select coalesce(json_agg(json_build_object('step', step, 'kind', kind, 'cause', cause,
      'tryDue', next_try_at <= now()) order by step, kind), '[]') as holds
    from holds where feed = f.feed
  ) h`;

/** Reads sums of totals. A step has a row of totals for each worker slot and country. */
const readAcceptance = `
  select coalesce(bool_or(f.feed = $1::uuid and t.succeeded > 0), false) as "isAccepted",
    coalesce(sum(t.succeeded), 0)::float8 as succeeded, coalesce(sum(t.refused), 0)::float8 as refused
  from feeds f cross join lateral (
    select sum(succeeded) as succeeded, sum(refused) as refused from run_totals where feed = f.feed and step = $2::int2
  ) t
  where f.run = (select run from feeds where feed = $1::uuid)`;

interface ContextRow extends Omit<FeedContext, 'chain'> {
  chain: readonly ChainStep[];
  /** Place of the variant in the split; null without variants. */
  variant: number | null;
}

type AdmissionRow = Omit<FeedAdmission, 'verdict'> & { state: RunState };

export function createFeedContexts({ pool }: { pool: Pool }): FeedContexts {
  return {
    load: async (feedIds) => {
      const values = [plainArray(feedIds)];
      const { rows } = await pool.query<ContextRow>({ name: 'load-contexts', text: loadContexts, values });
      return rows.map(({ variant, chain, ...row }) => ({ ...row, chain: chainOfVariant(chain, variant) }));
    },
    admissions: async (feedIds) => {
      const values = [plainArray(feedIds)];
      const { rows } = await pool.query<AdmissionRow>({ name: 'read-admissions', text: readAdmissions, values });
      return rows.map(({ state, ...row }) => ({ ...row, verdict: admissionOf(state, row.deadlineInMs <= 0) }));
    },
    acceptanceOf: async ({ feedId, step }) => {
      const values = [feedId, step];
      const { rows } = await pool.query<StepAcceptance>({ name: 'read-acceptance', text: readAcceptance, values });
      return rows[0] ?? { isAccepted: false, succeeded: 0, refused: 0 };
    },
  };
}
