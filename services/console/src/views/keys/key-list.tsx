import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { NoMatch } from '../../parts/standing/states.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { describeFilters, hasFilters, noFilters } from './key-filters.ts';
import { KeyTable, type ExistingKeyCommand } from './keys-table.tsx';
import type { KeysSearch } from './search.ts';
import type { ListedKeys } from './use-listed-keys.ts';

interface KeyListProps {
  search: KeysSearch;
  listed: ListedKeys;
  onCommand: (command: ExistingKeyCommand) => void;
  onGo: (change: Partial<KeysSearch>) => void;
}

export function KeyList({ search, listed, onCommand, onGo }: KeyListProps) {
  const { items, next, hasStillUsedFirst } = listed;
  const noKey = hasFilters(search) ? (
    <NoMatch title="No key matches" onClear={() => onGo(noFilters)}>
      {describeFilters(search)}
    </NoMatch>
  ) : (
    <KeyTable keys={[]} onCommand={onCommand} />
  );
  return (
    <section className="panel" aria-label="Keys">
      <ListView what="The keys" query={listed} items={items} empty={noKey}>
        <KeyTable keys={items} onCommand={onCommand} />
        {items && (
          <Paging cursor={search.cursor} next={next} onGo={(cursor) => onGo({ cursor })}>
            {countOf(items.length, 'key')}, {hasStillUsedFirst ? 'ended keys that are still used first, then ' : ''}
            newest first · a revoked key is refused within two seconds and stays listed for 30 days
          </Paging>
        )}
      </ListView>
    </section>
  );
}
