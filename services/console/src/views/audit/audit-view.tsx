import { Page } from '../../frame/page.tsx';

export function AuditView() {
  return (
    <Page title="Audit log">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
