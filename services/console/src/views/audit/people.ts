import { useQuery } from '@tanstack/react-query';
import { listApiKeysOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Change } from '#client/types.gen.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { useRefusal } from '../../frame/session/session.ts';

export interface Person {
  id: string;
  /** Name of the key, or of the person behind an issuer's log-in; with the id if two have the same name. */
  name: string;
}

/** Maximum of the API. Further keys are offered once one of their changes is shown. */
const most = 1000;

/**
 * Returns the keys and people that the filter offers, by name. Operators are offered all of the installation, other
 * users only the authors of the shown changes.
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
