import type { PoolClient } from 'pg';
import { coversOf, hashOfCovers, type ApprovalCovers } from '../../../../../shared/contracts/campaigns/approvals.ts';
import type { CampaignDefinition } from '../../../../../shared/contracts/campaigns/campaigns.ts';
import { differences } from '../../../../../shared/domain/differences.ts';

/**
 * Updates the approvals that are given or waiting when a campaign's next revision is stored, in the same transaction.
 * Approvals whose content has changed become void; the others refer to the new revision.
 */
export async function voidChangedApprovals(
  client: PoolClient,
  campaignId: string,
  definition: CampaignDefinition,
  revision: number,
): Promise<void> {
  const { rows } = await client.query<InForce>(lockInForce, [campaignId]);
  for (const { approvalId, hash, covers } of rows) {
    const now = coversOf(definition, covers.usersAtMost, covers.cost);
    if (hashOfCovers(now, null) === hash) await client.query(moveOn, [approvalId, revision]);
    else await client.query(voidApproval, [approvalId, `${changedIn(covers, now)} changed after it`]);
  }
}

function changedIn(before: ApprovalCovers, after: ApprovalCovers): string {
  return [...new Set(differences(before, after).map(({ pointer }) => pointer.split('/')[1] ?? ''))].join(', ');
}

interface InForce {
  approvalId: string;
  hash: string;
  covers: ApprovalCovers;
}

const lockInForce = `
  select id as "approvalId", hash, covers from approvals
  where campaign = $1 and run is null and state in ('waiting', 'approved') for update`;

const moveOn = `update approvals set revision = $2 where id = $1`;

export const voidApproval = `
  update approvals set state = 'void', state_reason = $2, state_since = now() where id = $1`;
