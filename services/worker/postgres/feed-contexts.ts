import type { Pool } from 'pg';
import type { ChainStep } from '../../../shared/contracts/campaigns.ts';
import { admissionOf } from '../../../shared/domain/admission.ts';
import type { RunState } from '../../../shared/domain/run-states.ts';
import type { FeedContexts } from '../../../shared/ports/step-ledger.ts';
import { plainArray } from '../../../shared/postgres/array-literals.ts';

interface ContextRow {
  feed: string;
  run: string;
  campaign: string;
  country: string;
  chain: ChainStep[];
}

/** Params come out of jsonb in its own order of keys, always the same: the bytes sent for a request key never vary. */
const loadContexts = `
  select f.feed, f.run, r.campaign, f.country, c.definition -> 'chain' as chain
  from feeds f
  join runs r on r.id = f.run
  join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  where f.feed = any($1::uuid[])`;

const readAdmissions = `
  select id as run, state, deadline_at <= now() as "deadlinePassed" from runs where id = any($1::uuid[])`;

export function createFeedContexts({ pool }: { pool: Pool }): FeedContexts {
  return {
    load: async (feeds) => {
      const values = [plainArray(feeds)];
      const { rows } = await pool.query<ContextRow>({ name: 'load-contexts', text: loadContexts, values });
      return rows;
    },
    admissions: async (runs) => {
      const { rows } = await pool.query<{ run: string; state: RunState; deadlinePassed: boolean }>({
        name: 'read-admissions',
        text: readAdmissions,
        values: [plainArray(runs)],
      });
      return rows.map(({ run, state, deadlinePassed }) => ({ run, verdict: admissionOf(state, deadlinePassed) }));
    },
  };
}
