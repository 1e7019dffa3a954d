import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { problemOf } from '../api/problems.ts';
import { Failed } from '../parts/standing/states.tsx';
import { Page } from './page.tsx';

const retryMs = 5000;

/** Page of a view that threw or could not be loaded. While the API is unreachable, it retries. */
export function ViewFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { status } = problemOf(error);
  // Only failures of the API are retried: an error of the console itself would occur again.
  const isAway = !(error instanceof Error) && (status === 0 || status >= 500);

  async function retry(): Promise<void> {
    await router.invalidate();
    reset();
  }

  useEffect(() => {
    if (!isAway) return undefined;
    const timer = setInterval(() => void retry(), retryMs);
    return () => clearInterval(timer);
  });

  return (
    <Page title={isAway ? 'No answer' : 'Page error'}>
      <Failed
        title="This page could not be shown"
        error={error}
        onRetry={() => void retry()}
        {...(isAway && { note: 'Nothing was changed. The console retries every few seconds.' })}
      />
    </Page>
  );
}
