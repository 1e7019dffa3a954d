import { Page } from '../../frame/page.tsx';

export function CampaignsView() {
  return (
    <Page title="Campaigns">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
