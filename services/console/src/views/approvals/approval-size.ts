import type { Approval } from '#client/types.gen.ts';
import { bestKnownCount, type UserCount } from '../../parts/audience/user-count.ts';
import { usersExpected } from '../../parts/campaign/approval-words.ts';
import { useNewestReport } from '../../parts/trials/use-newest-report.ts';

/**
 * Returns the number of users of a campaign that awaits approval: from the dry run of this revision, else as known when
 * it was submitted.
 */
export function useApprovalSize(approval: Approval): UserCount | null {
  const { report } = useNewestReport(approval.campaignId, 'dry-run');
  const known = usersExpected(approval);
  return known && bestKnownCount(known, report, approval.revision);
}
