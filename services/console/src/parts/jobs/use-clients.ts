import { useQuery } from '@tanstack/react-query';
import { listClientsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { shortId } from '../controls/copy-button.tsx';

/** As many as a menu can show; another one is named in the address. */
const mostInMenu = 200;

export interface Clients {
  /** Undefined while they are asked for. */
  items: readonly Client[] | undefined;
  /** By id or name. */
  find: (ref: string | undefined) => Client | undefined;
  /** Its name, or its id where it is none of those that are known. */
  nameOf: (clientId: string) => string;
}

/** The clients that this key may see. */
export function useClients(): Clients {
  const { data } = useQuery({ ...listClientsOptions({ query: { limit: mostInMenu } }), staleTime: 60_000 });
  const items = data?.items;
  const find = (ref: string | undefined) => items?.find(({ id, name }) => id === ref || name === ref);
  return { items, find, nameOf: (clientId) => find(clientId)?.name ?? shortId(clientId) };
}
