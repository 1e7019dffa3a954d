import { Page } from '../../frame/page.tsx';

export function ShardsView() {
  return (
    <Page title="Shards">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
