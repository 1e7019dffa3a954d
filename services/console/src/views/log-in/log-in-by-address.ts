import type { QueryClient } from '@tanstack/react-query';
import { logIn } from '#client/sdk.gen.ts';
import type { LogInInput } from '#client/types.gen.ts';
import { problemOf, type Problem } from '../../api/problems.ts';
import type { IssuerAnswer } from '../../frame/session/issuer-answer.ts';
import { beginSession } from '../../frame/session/session.ts';
import { takeReturnPath } from './return-path.ts';

/**
 * Result of a log-in by the page's address. `none` if the address contains neither a log-in link nor a response of the
 * identity provider.
 */
export type AddressLogIn =
  | { state: 'none' }
  | { state: 'logged in'; to: string }
  | { state: 'refused'; by: 'link' | 'issuer'; problem: Problem }
  | { state: 'refused by issuer'; error: string };

/**
 * Opens a session by the one-time link after `#link=`, or by the response of the identity provider (the issuer). Each
 * can be used once. The link is in the fragment, because browsers do not send the fragment to servers.
 */
export async function logInByAddress(
  hash: string,
  issuerAnswer: IssuerAnswer | undefined,
  queryClient: QueryClient,
): Promise<AddressLogIn> {
  const link = new URLSearchParams(hash).get('link');
  if (link !== null) {
    // Removes the link from the address and the history first, so that it is not left in either.
    history.replaceState(history.state, '', location.pathname);
    return await openBy('link', { link }, queryClient);
  }
  if (!issuerAnswer) return { state: 'none' };
  if (issuerAnswer.kind === 'refused') return { state: 'refused by issuer', error: issuerAnswer.error };
  const { code, state } = issuerAnswer;
  return await openBy('issuer', { code, state }, queryClient);
}

async function openBy(by: 'link' | 'issuer', body: LogInInput, queryClient: QueryClient): Promise<AddressLogIn> {
  try {
    const { data } = await logIn({ body });
    beginSession(queryClient, data);
    return { state: 'logged in', to: by === 'issuer' ? takeReturnPath() : '/campaigns' };
  } catch (error) {
    return { state: 'refused', by, problem: problemOf(error) };
  }
}
