import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLoaderData, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { beginSignInMutation, listLogInWaysOptions, logInMutation } from '#client/@tanstack/react-query.gen.ts';
import { problemOf, type Problem } from '../../api/problems.ts';
import { Brand } from '../../frame/brand.tsx';
import { beginSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { storeReturnPath } from './return-path.ts';

/**
 * Log-in by API key, by the trusted identity provider, or by either. Before this view is shown, a log-in by the page's
 * address has been attempted.
 */
export function LogInView() {
  const byAddress = useLoaderData({ from: '/log-in' });
  // Until the API responds, the field for an API key is shown, because installations accept keys by default.
  const { data: ways } = useQuery(listLogInWaysOptions());
  const issuer = ways?.issuer ?? null;
  const takesKeys = ways?.apiKey ?? true;
  useEffect(() => {
    document.title = 'Log in · Muster';
  }, []);
  return (
    <main className="min-h-screen grid place-items-center py-6 px-4">
      <div className="panel w-[min(380px,100%)] grid gap-4 px-6 pt-5 pb-6 [&_:is(.inp,.btn)]:w-full [&_:is(.inp,.btn)]:h-8.5">
        <Brand />
        <h1>Log in</h1>
        {byAddress.state === 'refused' && <Refused by={byAddress.by} words={wordsOf(byAddress.problem)} />}
        {byAddress.state === 'refused by issuer' && (
          <Refused by="issuer" words={`The issuer reported ${byAddress.error}.`} />
        )}
        {issuer && <SignIn name={issuer.name} />}
        {takesKeys && <KeyForm isFirst={!issuer} />}
        {!takesKeys && !issuer && (
          <p className="t2">This installation has no log-in by browser. Access tokens are for programs only.</p>
        )}
      </div>
    </main>
  );
}

/** Button that sends the browser to the issuer, which redirects it back to this page. */
function SignIn({ name }: { name: string }) {
  const { to } = useSearch({ from: '/log-in' });
  const signIn = useMutation({
    ...beginSignInMutation(),
    onSuccess: ({ url }) => {
      storeReturnPath(to ?? '/campaigns');
      location.assign(url);
    },
  });
  return (
    <div>
      <Button kind="ink" disabled={signIn.isPending || signIn.isSuccess} onClick={() => signIn.mutate({})}>
        Sign in with {name}
      </Button>
      {signIn.error && (
        <p className="hint c-bad" role="alert">
          {wordsOf(problemOf(signIn.error))}
        </p>
      )}
    </div>
  );
}

/** Form for an API key. The key is sent once, for a cookie that scripts cannot read, and stored nowhere else. */
function KeyForm({ isFirst }: { isFirst: boolean }) {
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
  const problem = logIn.error ? problemOf(logIn.error) : undefined;
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        logIn.mutate({ body: { apiKey: apiKey.trim() } });
      }}
    >
      <div>
        <label className="lab" htmlFor={fieldId}>
          API key
        </label>
        <input
          id={fieldId}
          className={problem ? 'inp mono err' : 'inp mono'}
          type="password"
          autoComplete="current-password"
          autoFocus={isFirst}
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
            : 'It begins with mk_. The session ends when the key ends, or after 12 hours without use.'}
        </p>
      </div>
      <Button type="submit" kind={isFirst ? 'ink' : 'plain'} disabled={logIn.isPending}>
        Log in
      </Button>
      <p className="t3 sm">
        No key? Request a key or a log-in link from the operators of this installation. They create the first key with{' '}
        <code>muster first-key</code>.
      </p>
    </form>
  );
}

const refusals = {
  link: 'This log-in link is no longer valid.',
  issuer: 'You are not signed in.',
} as const;

function Refused({ by, words }: { by: keyof typeof refusals; words: string }) {
  return (
    <div className="banner" role="alert">
      <Icon name="warn" />
      <div>
        <b>{refusals[by]}</b> <span className="t2">{words}</span>
      </div>
    </div>
  );
}

function wordsOf({ status, detail }: Problem): string {
  if (status === 0) return 'The API did not answer. Try again in a moment.';
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
}

/** Returns a function that opens the page which the user requested before the log-in. */
function useGoOn(): () => void {
  const router = useRouter();
  const { to = '/campaigns' } = useSearch({ from: '/log-in' });
  return () => router.history.push(`${router.basepath.replace(/\/$/, '')}${to}`);
}
