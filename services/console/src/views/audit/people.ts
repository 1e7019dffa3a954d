import { useQuery } from '@tanstack/react-query';
import { listApiKeysOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Change } from '#client/types.gen.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { useRefusal } from '../../frame/session/session.ts';

export interface Person {
  /** The id of the key. */
  id: string;
  /** The name of the key or of the person whom an issuer vouches for, with the id if two have the same. */
  name: string;
}

/** An answer of the API has no more. Others are found by a change of theirs that is shown. */
const most = 1000;

/**
 * Returns who can be chosen in the filter, by name: the keys and people of the installation for those who may list
 * them, and for everybody those of the changes that are shown.
 */
export function usePeople(shown: readonly Change[]): readonly Person[] {
  const isAllowed = useRefusal('operator') === undefined;
  const keys = useQuery({ ...listApiKeysOptions({ query: { limit: most } }), enabled: isAllowed });
  const names = new Map(shown.flatMap(({ keyId, keyName }) => (keyId === null ? [] : [[keyId, keyName ?? keyId]])));
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
