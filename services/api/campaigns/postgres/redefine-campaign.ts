import type { PoolClient } from 'pg';
import type { CampaignAbout } from '../../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { voidChangedApprovals } from '../approvals/postgres/void-approvals.ts';
import type { AboutChange, Writer } from '../campaign-store.port.ts';

interface NewRevision {
  definition: CampaignDefinition;
  /** Revision that the new one replaces. */
  revision: number;
  by: Writer | null;
  aboutChange: AboutChange | undefined;
}

/**
 * Stores a draft's next revision, in the transaction of the client. Returns false if the campaign is not a draft or has
 * changed.
 */
export async function redefine(
  client: PoolClient,
  campaignId: string,
  { definition, revision, by, aboutChange }: NewRevision,
): Promise<boolean> {
  const { before = null, after = null } = aboutChange ?? {};
  const { rowCount } = await client.query(
    nextRevision.with({ campaignId, revision, name: definition.name, before, after }),
  );
  if (rowCount === 0) return false;
  // The rows of a draft's budgets are replaced by new ones, because a draft has not used any units.
  await client.query('delete from budgets where campaign = $1', [campaignId]);
  const writer = { account: by?.account ?? null, writtenBy: by?.key ?? null };
  await client.query(insertRevision.with({ campaignId, revision: revision + 1, definition, ...writer }));
  await voidChangedApprovals(client, campaignId, definition, revision + 1);
  return true;
}

interface NextRevision extends Record<'before' | 'after', CampaignAbout | null> {
  campaignId: string;
  revision: number;
  name: string;
}

const nextRevision = statementOf<NextRevision>(
  'next-campaign-revision',
  ($) => `
  update campaigns set revision = revision + 1, name = ${$('name')}, about = coalesce(${$('after')}::jsonb, about),
    updated_at = now()
  where id = ${$('campaignId')} and revision = ${$('revision')} and state = 'draft' and archived_at is null
    and about = coalesce(${$('before')}::jsonb, about)`,
);

interface InsertedRevision {
  campaignId: string;
  revision: number;
  definition: CampaignDefinition;
  account: string | null;
  writtenBy: string | null;
}

const insertRevision = statementOf<InsertedRevision>(
  'insert-campaign-revision',
  ($) => `
  with b as (
    insert into budgets (campaign, country, units, currency)
    select ${$('campaignId')}::uuid, country, units, currency from budgets_in(${$('definition')}::jsonb)
  )
  insert into revisions (campaign, revision, definition, account, written_by)
  values (${$('campaignId')}, ${$('revision')}, ${$('definition')}, ${$('account')}, ${$('writtenBy')})`,
);
