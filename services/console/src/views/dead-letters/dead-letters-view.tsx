import { Page } from '../../frame/page.tsx';

export function DeadLettersView() {
  return (
    <Page title="Dead letters">
      <p className="t2">This view is being built.</p>
    </Page>
  );
}
