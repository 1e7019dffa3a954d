import type { QueryClient } from '@tanstack/react-query';
import { logIn } from '#client/sdk.gen.ts';
import { problemOf, type Problem } from '../../api/problems.ts';
import { beginSession } from '../../frame/session/session.ts';

/** What came of a link: nothing where there was none. */
export type LinkLogIn = { state: 'none' } | { state: 'logged in' } | { state: 'refused'; problem: Problem };

/** Opens a session by what stands behind `#link=`: no server was sent that, and it works once. */
export async function logInByLink(hash: string, queryClient: QueryClient): Promise<LinkLogIn> {
  const link = new URLSearchParams(hash).get('link');
  if (link === null) return { state: 'none' };
  // Out of the address, and so out of the history, before anything else.
  history.replaceState(history.state, '', location.pathname);
  try {
    const { data } = await logIn({ body: { link } });
    beginSession(queryClient, data);
    return { state: 'logged in' };
  } catch (error) {
    return { state: 'refused', problem: problemOf(error) };
  }
}
