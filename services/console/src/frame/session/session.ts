import { queryOptions, useQueryClient, useSuspenseQuery, type QueryClient } from '@tanstack/react-query';
import { rememberCsrfToken } from '../../api/client.ts';
import { getSessionOptions, getSessionQueryKey } from '#client/@tanstack/react-query.gen.ts';
import { logOut, logOutEverywhere } from '#client/sdk.gen.ts';
import type { Session } from '#client/types.gen.ts';
import { rememberInstallationZone } from '../../parts/times/zone.ts';

export type { Session };
export type Role = Session['role'];

/** What a key of a role may act as. */
const contained: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer'],
  scheduler: ['viewer', 'scheduler'],
  manager: ['viewer', 'manager'],
  approver: ['viewer', 'approver'],
  operator: ['viewer', 'scheduler', 'manager', 'approver', 'operator'],
};

export const roleWords = {
  viewer: 'Viewer',
  scheduler: 'Scheduler',
  manager: 'Manager',
  approver: 'Approver',
  operator: 'Operator',
} as const;

/**
 * Who is logged in. Asked once: what ends it answers 401 to whatever is asked next. The client knows only now where it
 * is served.
 */
const sessionOptions = () =>
  queryOptions({ ...getSessionOptions(), staleTime: Infinity, gcTime: Infinity, retry: false });

/** @throws a problem with the status 401 when nobody is logged in */
export async function requireSession(queryClient: QueryClient): Promise<Session> {
  const session = await queryClient.query({ ...sessionOptions(), staleTime: 'static' });
  beginSession(queryClient, session);
  return session;
}

export function beginSession(queryClient: QueryClient, session: Session): void {
  rememberCsrfToken(session.csrfToken ?? undefined);
  rememberInstallationZone(session.installation.zone);
  queryClient.setQueryData(getSessionQueryKey(), session);
}

export function hasSession(queryClient: QueryClient): boolean {
  return queryClient.getQueryData(getSessionQueryKey()) !== undefined;
}

/** Nothing of what the last one saw is left for the next one. */
export function forgetSession(queryClient: QueryClient): void {
  rememberCsrfToken(undefined);
  queryClient.clear();
}

export function useSession(): Session {
  return useSuspenseQuery(sessionOptions()).data;
}

/**
 * Undefined where the key that is logged in may act as that role, else a sentence for a disabled control: which role it
 * needs.
 */
export function useRefusal(needed: Role): string | undefined {
  const { role } = useSession();
  if (contained[role].includes(needed)) return undefined;
  return `Needs the role ${needed}; this key is a ${role}`;
}

/**
 * Ends this session, or all sessions of its key wherever they are. The page is loaded anew: nothing stays in memory.
 */
export function useLogOut(): (where: 'here' | 'everywhere') => Promise<void> {
  const queryClient = useQueryClient();
  return async (where) => {
    await (where === 'here' ? logOut() : logOutEverywhere());
    forgetSession(queryClient);
    location.assign(new URL('log-in', document.baseURI));
  };
}
