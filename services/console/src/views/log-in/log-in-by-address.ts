import type { QueryClient } from '@tanstack/react-query';
import { logIn } from '#client/sdk.gen.ts';
import type { LogInInput } from '#client/types.gen.ts';
import { problemOf, type Problem } from '../../api/problems.ts';
import type { ComeBack } from '../../frame/session/come-back.ts';
import { beginSession } from '../../frame/session/session.ts';
import { takeReturnPath } from './return-path.ts';

/** Result of a log-in by the address; `none` if the address has neither a link nor an issuer's answer. */
export type AddressLogIn =
  | { state: 'none' }
  | { state: 'logged in'; to: string }
  | { state: 'refused'; by: 'link' | 'issuer'; problem: Problem }
  | { state: 'refused by issuer'; error: string };

/**
 * Opens a session by the one-time link after `#link=`, or by an issuer's answer. Each is valid once. The link is in the
 * fragment, which browsers send to no server.
 */
export async function logInByAddress(
  hash: string,
  comeBack: ComeBack | undefined,
  queryClient: QueryClient,
): Promise<AddressLogIn> {
  const link = new URLSearchParams(hash).get('link');
  if (link !== null) {
    // Removed from the address and the history before anything else.
    history.replaceState(history.state, '', location.pathname);
    return await openBy('link', { link }, queryClient);
  }
  if (!comeBack) return { state: 'none' };
  if (comeBack.kind === 'refused') return { state: 'refused by issuer', error: comeBack.error };
  const { code, state } = comeBack;
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
