import type { Approval } from '#client/types.gen.ts';
import { bestOf, type HowMany } from '../../parts/audience/how-many.ts';
import { usersExpected } from '../../parts/campaign/approval-words.ts';
import { useNewestReport } from '../../parts/campaign/use-newest-report.ts';

/** Returns the users of an approval: by the dry run of its revision, else as known at its submission. */
export function useApprovalSize(approval: Approval): HowMany | null {
  const { report } = useNewestReport(approval.campaignId, 'dry-run');
  const known = usersExpected(approval);
  return known && bestOf(known, report, approval.revision);
}
