import { queryOptions, useQueryClient, useSuspenseQuery, type QueryClient } from '@tanstack/react-query';
import { rememberCsrfToken } from '../../api/client.ts';
import { getSessionOptions, getSessionQueryKey } from '#client/@tanstack/react-query.gen.ts';
import { logOut, logOutEverywhere } from '#client/sdk.gen.ts';
import type { Session } from '#client/types.gen.ts';
import { rememberInstallationZone } from '../../parts/times/zone.ts';

export type { Session };
export type Role = Session['role'];

/** Roles that each role includes. */
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
 * Query of the session. It is requested once: when the session ends, the next request of any kind is answered with 401.
 * A function, because the base path of the client is set at start.
 */
const sessionOptions = () =>
  queryOptions({ ...getSessionOptions(), staleTime: Infinity, gcTime: Infinity, retry: false });

/** @throws a problem with status 401 if there is no session */
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

/** Removes all data of the session, so that the next user sees none of it. */
export function forgetSession(queryClient: QueryClient): void {
  rememberCsrfToken(undefined);
  queryClient.clear();
}

export function useSession(): Session {
  return useSuspenseQuery(sessionOptions()).data;
}

/** Returns the reason for a disabled control: the missing role. Undefined if the session's key has it. */
export function useRefusal(needed: Role): string | undefined {
  const { role } = useSession();
  if (contained[role].includes(needed)) return undefined;
  return `Needs the role ${needed}; this key is a ${role}`;
}

/** Ends this session, or all sessions of its key. The page is loaded again, so that nothing stays in memory. */
export function useLogOut(): (where: 'here' | 'everywhere') => Promise<void> {
  const queryClient = useQueryClient();
  return async (where) => {
    await (where === 'here' ? logOut() : logOutEverywhere());
    forgetSession(queryClient);
    location.assign(new URL('log-in', document.baseURI));
  };
}
