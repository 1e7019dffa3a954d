import type { Campaign } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { usePlaceNames } from '../../parts/campaign/parameters.tsx';
import { RevisionsPanel } from '../../parts/revisions/revision-list.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';

/** Earlier revisions of a campaign. They can be restored only while the campaign is a draft and not archived. */
export function CampaignRevisions({ campaign }: { campaign: Campaign }) {
  const { id, name, revision, state, archivedAt } = campaign;
  const refusal = useRefusal('manager');
  const placeOf = usePlaceNames(campaign.chain);
  const mayChange = isDraft(state) && archivedAt === null;
  return <RevisionsPanel revised={{ kind: 'campaign', id, name, revision, placeOf, mayChange, refusal }} />;
}
