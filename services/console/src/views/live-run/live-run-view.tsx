import { Page } from '../../frame/page.tsx';

export function LiveRunView() {
  return (
    <Page title="Run">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
