import { Page } from '../../frame/page.tsx';

export function NewCampaignView() {
  return (
    <Page title="New campaign">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
