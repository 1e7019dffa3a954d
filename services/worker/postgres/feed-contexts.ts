import type { Pool } from 'pg';
import type { ChainStep } from '../../../shared/contracts/campaigns.ts';
import { admissionOf } from '../../../shared/domain/admission.ts';
import type { RunState } from '../../../shared/domain/run-states.ts';
import type { FeedContexts } from '../../../shared/ports/step-ledger.ts';
import { plainArray } from '../../../shared/postgres/array-literals.ts';

interface ContextRow {
  feedId: string;
  runId: string;
  campaignId: string;
  country: string;
  chain: ChainStep[];
}

/** Params come out of jsonb in its own order of keys, always the same: the bytes sent for a request key never vary. */
const loadContexts = `
  select f.feed as "feedId", f.run as "runId", r.campaign as "campaignId", f.country, c.definition -> 'chain' as chain
  from feeds f
  join runs r on r.id = f.run
  join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  where f.feed = any($1::uuid[])`;

const readAdmissions = `
  select id as "runId", state, deadline_at <= now() as "deadlinePassed" from runs where id = any($1::uuid[])`;

export function createFeedContexts({ pool }: { pool: Pool }): FeedContexts {
  return {
    load: async (feedIds) => {
      const values = [plainArray(feedIds)];
      const { rows } = await pool.query<ContextRow>({ name: 'load-contexts', text: loadContexts, values });
      return rows;
    },
    admissions: async (runIds) => {
      const { rows } = await pool.query<{ runId: string; state: RunState; deadlinePassed: boolean }>({
        name: 'read-admissions',
        text: readAdmissions,
        values: [plainArray(runIds)],
      });
      return rows.map(({ runId, state, deadlinePassed }) => ({ runId, verdict: admissionOf(state, deadlinePassed) }));
    },
  };
}
