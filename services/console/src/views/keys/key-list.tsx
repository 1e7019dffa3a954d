import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { NoMatch } from '../../parts/standing/states.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { filterWords, hasFilters, noFilters } from './key-filters.ts';
import { KeyTable, type AskedOfKey } from './keys-table.tsx';
import type { KeysSearch } from './search.ts';
import type { ListedKeys } from './use-listed-keys.ts';

interface KeyListProps {
  search: KeysSearch;
  listed: ListedKeys;
  onAsk: (asked: AskedOfKey) => void;
  onGo: (change: Partial<KeysSearch>) => void;
}

export function KeyList({ search, listed, onAsk, onGo }: KeyListProps) {
  const { items, next, hasStillUsedFirst } = listed;
  const noKey = hasFilters(search) ? (
    <NoMatch title="No key matches" onClear={() => onGo(noFilters)}>
      {filterWords(search)}
    </NoMatch>
  ) : (
    <KeyTable keys={[]} onAsk={onAsk} />
  );
  return (
    <section className="panel" aria-label="Keys">
      <ListView what="The keys" query={listed} items={items} empty={noKey}>
        <KeyTable keys={items} onAsk={onAsk} />
        {items && (
          <Paging cursor={search.cursor} next={next} onGo={(cursor) => onGo({ cursor })}>
            {countOf(items.length, 'key')}, {hasStillUsedFirst ? 'those still used first, then ' : ''}newest first · a
            revoked one is refused within two seconds and stays listed for thirty days
          </Paging>
        )}
      </ListView>
    </section>
  );
}
