import type { ErrorComponentProps } from '@tanstack/react-router';
import { Failed } from '../parts/standing/states.tsx';
import { Page } from './page.tsx';

/** A view that broke while it was shown, or that could not be loaded. */
export function ViewFailed({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page broke">
      <Failed title="This page could not be shown" error={error} onRetry={reset} />
    </Page>
  );
}
