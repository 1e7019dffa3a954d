import { Page } from '../../frame/page.tsx';

export function UserView() {
  return (
    <Page title="One user">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
