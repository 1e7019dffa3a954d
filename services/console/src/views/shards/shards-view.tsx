import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { listShardsOptions } from '#client/@tanstack/react-query.gen.ts';
import { Page } from '../../frame/page.tsx';
import { updateStatusOf } from '../../live/update-status.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Chips } from '../../parts/lists/chips.tsx';
import { Select } from '../../parts/controls/controls.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import type { Shard } from '#client/types.gen.ts';
import type { ShardFilter } from './search.ts';
import { matchesFilter, keepOrder } from './shard-figures.ts';
import { ShardKpis } from './shard-kpis.tsx';
import { ShardTable } from './shard-table.tsx';

const route = getRouteApi('/shards');
const pollEveryMs = 2000;

export function ShardsView() {
  const query = useQuery({ ...listShardsOptions(), refetchInterval: pollEveryMs });
  const standing = updateStatusOf(query);
  const isOld = useIsStale(standing);
  const shards = query.data?.items;
  return (
    <Page title="Shards" freshness={shards && <Freshness standing={standing} />}>
      <ListView
        what="The shards"
        query={query}
        items={shards}
        empty={
          <Empty icon="shards" title="No shards yet" command="muster campaign create --help">
            A shard is an action type in a country. It is created with the first campaign that needs it.
          </Empty>
        }
      >
        <StaleBanner standing={standing} note="Shards continue to work; these numbers are outdated." />
        <ShardKpis shards={shards} isOld={isOld} />
        <ShardList shards={shards} isOld={isOld} />
      </ListView>
    </Page>
  );
}

function ShardList({ shards, isOld }: { shards: readonly Shard[] | undefined; isOld: boolean }) {
  const { shard: open, show = 'all', action, country } = route.useSearch();
  const navigate = route.useNavigate();
  const [order, setOrder] = useState<readonly string[]>([]);
  const known = shards ?? [];
  const named = known.filter(
    (each) =>
      (action === undefined || each.actionType === action) && (country === undefined || each.country === country),
  );
  const sorted = keepOrder(
    named.filter((each) => matchesFilter(each, show)),
    order,
  );
  // The first order is kept, so that rows do not move under the pointer.
  if (order.length === 0 && known.length > 0) setOrder(sorted.shards.map(({ id }) => id));
  const search = (change: object) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const toggle = useCallback(
    (id: string) =>
      void navigate({
        search: (before) => ({ ...before, shard: before.shard === id ? undefined : id }),
        replace: true,
      }),
    [navigate],
  );
  const isFiltered = show !== 'all' || action !== undefined || country !== undefined;
  const count = (filter: ShardFilter) =>
    shards ? named.filter((each) => matchesFilter(each, filter)).length : undefined;
  return (
    <>
      <div className="row flex-wrap gap-2">
        <Chips
          label="Filter by state"
          chosen={show}
          chips={[
            { value: 'all', label: 'All', count: count('all') },
            { value: 'breaker', label: 'Breaker not closed', count: count('breaker') },
            { value: 'lag', label: 'Lag over 30 s', count: count('lag') },
          ]}
          onChoose={(value) => search({ show: value === 'all' ? undefined : value })}
        />
        <div className="ml-auto row phone:w-full phone:[&>*]:flex-1 phone:[&>*]:min-w-0 [&>*]:min-w-32.5 [&_.i]:top-2 phone:[&_.i]:top-3 [&_select]:h-7 phone:[&_select]:h-10 [&_select]:border-line-2">
          <NameFilter
            name="action"
            all="All actions"
            value={action}
            values={known.map((each) => each.actionType)}
            onChoose={(value) => search({ action: value })}
          />
          <NameFilter
            name="country"
            all="All countries"
            value={country}
            values={known.map((each) => each.country)}
            onChoose={(value) => search({ country: value })}
          />
        </div>
      </div>
      <section className="panel" aria-label="Shards">
        {shards !== undefined && sorted.shards.length === 0 ? (
          <NoMatch
            title="No shard matches"
            onClear={() => search({ show: undefined, action: undefined, country: undefined })}
          >
            {describeFilters(show, action, country)}
          </NoMatch>
        ) : (
          <ShardTable shards={shards && sorted.shards} isOld={isOld} open={open} onOpen={toggle} />
        )}
        <footer className="row flex-wrap">
          <span>
            {isFiltered
              ? `${sorted.shards.length} of ${countOf(known.length, 'shard')}`
              : countOf(known.length, 'shard')}
            , longest lag first
          </span>
          {sorted.moved > 0 && (
            <Button small icon="retry" onClick={() => setOrder(keepOrder(named, []).shards.map(({ id }) => id))}>
              {countOf(sorted.moved, 'row')} moved · sort again
            </Button>
          )}
          <span className="t3">
            Lag: time to finish the ready batches at the current rate, without batches limited by a pace. Waiting:
            batches that wait for a retry, or until the endpoint answers again.
          </span>
        </footer>
      </section>
    </>
  );
}

interface NameFilterProps {
  name: string;
  all: string;
  value: string | undefined;
  values: readonly string[];
  onChoose: (value: string | undefined) => void;
}

function NameFilter({ name, all, value, values, onChoose }: NameFilterProps) {
  const names = [...new Set(values)].sort();
  if (names.length < 2) return null;
  return (
    <Select
      aria-label={`Filter by ${name}`}
      value={value ?? everything}
      choices={[{ value: everything, label: all }, ...names.map((each) => ({ value: each, label: each }))]}
      onChoose={(chosen) => onChoose(chosen === everything ? undefined : chosen)}
    />
  );
}

const everything = '*';

function describeFilters(show: ShardFilter, action: string | undefined, country: string | undefined): string {
  const states = { all: '', breaker: 'breaker not closed', lag: 'lag over 30 s' };
  const parts = [states[show], action && `action ${action}`, country && `country ${country}`].filter(Boolean);
  return `${parts.join(', ')}.`;
}
