import { Page } from '../../frame/page.tsx';

export function FailuresView() {
  return (
    <Page title="Failed users">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
