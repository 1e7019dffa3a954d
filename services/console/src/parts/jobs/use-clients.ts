import { useQuery } from '@tanstack/react-query';
import { listClientsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { shortId } from '../controls/copy-button.tsx';

/** Maximum number of clients that a menu lists. The address of a page may name a client beyond this limit. */
const mostInMenu = 200;

export interface Clients {
  items: readonly Client[] | undefined;
  /** Finds a client by id or name. */
  find: (ref: string | undefined) => Client | undefined;
  /** Returns the name of a client, or its short id if the client is not loaded. */
  nameOf: (clientId: string) => string;
}

export function useClients(): Clients {
  const { data } = useQuery({ ...listClientsOptions({ query: { limit: mostInMenu } }), staleTime: 60_000 });
  const items = data?.items;
  const find = (ref: string | undefined) => items?.find(({ id, name }) => id === ref || name === ref);
  return { items, find, nameOf: (clientId) => find(clientId)?.name ?? shortId(clientId) };
}
