import { useQuery } from '@tanstack/react-query';
import { listApiKeysOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Change } from '#client/types.gen.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { useRefusal } from '../../frame/session/session.ts';

export interface Person {
  id: string;
  /**
   * Name of the key, or of the person who logged in through an identity provider. Includes the id if two entries have
   * the same name.
   */
  name: string;
}

/** Page limit of the API. A key beyond this limit is offered only while one of its changes is listed. */
const most = 1000;

/**
 * Returns the keys and people that the filter offers, sorted by name. For operators, these are all keys of the
 * installation, and the authors of the listed changes. For other users, only these authors.
 */
export function usePeople(listed: readonly Change[]): readonly Person[] {
  const isAllowed = useRefusal('operator') === undefined;
  const keys = useQuery({ ...listApiKeysOptions({ query: { limit: most } }), enabled: isAllowed });
  const names = new Map(listed.flatMap(({ keyId, keyName }) => (keyId === null ? [] : [[keyId, keyName ?? keyId]])));
  for (const { id, name } of keys.data?.items ?? []) names.set(id, name);
  return withDifferentNames([...names].map(([id, name]) => ({ id, name })));
}

function withDifferentNames(people: readonly Person[]): Person[] {
  const counts = Map.groupBy(people, ({ name }) => name);
  const different = people.map(({ id, name }) => {
    const isOnly = counts.get(name)?.length === 1;
    return { id, name: isOnly ? name : `${name} (${shortId(id)})` };
  });
  return different.toSorted((a, b) => a.name.localeCompare(b.name));
}
