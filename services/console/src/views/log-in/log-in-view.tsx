import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLoaderData, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { logInMutation } from '#client/@tanstack/react-query.gen.ts';
import { problemOf, type Problem } from '../../api/problems.ts';
import { Brand } from '../../frame/brand.tsx';
import { beginSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';

/** By API key: it goes to the server once, for a cookie that no script can read, and is kept nowhere else. */
export function LogInView() {
  const byLink = useLoaderData({ from: '/log-in' });
  const [apiKey, setApiKey] = useState('');
  const fieldId = useId();
  const goOn = useGoOn();
  const queryClient = useQueryClient();
  const logIn = useMutation({
    ...logInMutation(),
    onSuccess: (session) => {
      beginSession(queryClient, session);
      goOn();
    },
  });
  useEffect(() => {
    document.title = 'Log in · Muster';
  }, []);
  const problem = logIn.error ? problemOf(logIn.error) : undefined;
  return (
    <main className="min-h-screen grid place-items-center py-6 px-4">
      <form
        className="panel w-[min(380px,100%)] grid gap-4 px-6 pt-5 pb-6 [&_:is(.inp,.btn)]:w-full [&_:is(.inp,.btn)]:h-8.5"
        onSubmit={(event) => {
          event.preventDefault();
          logIn.mutate({ body: { apiKey: apiKey.trim() } });
        }}
      >
        <Brand />
        <h1>Log in</h1>
        {byLink.state === 'refused' && problem === undefined && <LinkRefused problem={byLink.problem} />}
        <div>
          <label className="lab" htmlFor={fieldId}>
            API key
          </label>
          <input
            id={fieldId}
            className={problem ? 'inp mono err' : 'inp mono'}
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            spellCheck={false}
            value={apiKey}
            onChange={({ target }) => setApiKey(target.value)}
            aria-invalid={problem !== undefined}
            aria-describedby={`${fieldId}-hint`}
          />
          <p id={`${fieldId}-hint`} className={problem ? 'hint c-bad' : 'hint'} role={problem ? 'alert' : undefined}>
            {problem
              ? wordsOf(problem)
              : 'It begins with muster_. The session ends with it, or after 12 hours without use.'}
          </p>
        </div>
        <Button type="submit" kind="ink" disabled={logIn.isPending}>
          Log in
        </Button>
        <p className="t3 sm">
          Without a key: <code>muster first-key</code> makes one.
        </p>
      </form>
    </main>
  );
}

function LinkRefused({ problem }: { problem: Problem }) {
  return (
    <div className="banner" role="alert">
      <Icon name="warn" />
      <div>
        <b>This link does not log in any more.</b> <span className="t2">{wordsOf(problem)}</span>
      </div>
    </div>
  );
}

function wordsOf({ status, detail }: Problem): string {
  if (status === 0) return 'The API did not answer. Try again in a moment.';
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
}

/** Back to where somebody wanted to go. */
function useGoOn(): () => void {
  const router = useRouter();
  const { to = '/campaigns' } = useSearch({ from: '/log-in' });
  return () => router.history.push(`${router.basepath.replace(/\/$/, '')}${to}`);
}
