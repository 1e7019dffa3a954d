import { Page } from '../../frame/page.tsx';

export function ReportView() {
  return (
    <Page title="Report">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
