import { useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { getCampaignOptions, listChangesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Change } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { shortId } from '../../parts/controls/copy-button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { auditKinds, auditQuery, auditSpans, describeFilters, hasFilters } from './audit-filters.ts';
import type { AuditSearch } from './search.ts';
import { describeDetail, describeResult } from './change-words.ts';
import { usePeople } from './people.ts';

const route = getRouteApi('/audit');
const pageSize = 50;
const noFilters = { subject: undefined, keyId: undefined, keyName: undefined, kind: undefined, span: undefined };

export function AuditView() {
  const chosen = route.useSearch();
  const { subject, keyId, keyName, kind, span, cursor } = chosen;
  const navigate = route.useNavigate();
  // The start of the time span is fixed when it is chosen, because otherwise pages would move with the clock.
  const [nowMs] = useState(() => Date.now());
  const query = { limit: pageSize, ...auditQuery(chosen, nowMs) };
  const changes = useQuery({ ...listChangesOptions({ query }), placeholderData: keepPreviousData });
  const items = changes.data?.items;
  const people = usePeople(items ?? []);
  const search = (change: Partial<AuditSearch>) => void navigate({ search: (before) => ({ ...before, ...change }) });
  const choose = (change: Partial<AuditSearch>) => search({ ...change, cursor: undefined });
  return (
    <Page title="Audit log">
      <div className="row flex-wrap">
        <div className="w-105 max-w-full">
          <SearchField
            placeholder="Id or name of what was changed"
            value={subject ?? ''}
            onSearch={(text) => choose({ subject: text === '' ? undefined : text })}
          />
        </div>
        <FilterMenu
          name="Kind"
          options={auditKinds}
          value={kind}
          onChoose={(value) => choose({ kind: auditKinds.find((each) => each === value) })}
        />
        <FilterMenu
          name="Time"
          options={auditSpans}
          value={span}
          onChoose={(value) => choose({ span: auditSpans.find((each) => each === value) })}
        />
        <FilterMenu
          name="By"
          options={people.map(({ name }) => name)}
          value={keyId === undefined ? undefined : (keyName ?? keyId)}
          onChoose={(value) => {
            const person = people.find(({ name }) => name === value);
            choose({ keyId: person?.id, keyName: person?.name });
          }}
        />
      </div>
      <section className="panel" aria-label="Changes">
        <ListView
          what="The changes"
          query={changes}
          items={items}
          empty={
            hasFilters(chosen) ? (
              <NoMatch title="No change matches" onClear={() => choose(noFilters)}>
                {describeFilters(chosen)}
              </NoMatch>
            ) : (
              <Empty icon="audit" title="Nothing was changed yet">
                Each change by a person or a key is listed here: who changed what, when, and whether it was refused.
                Filter by person, kind or time to find one.
              </Empty>
            )
          }
        >
          <ChangeTable changes={items} onKey={choose} />
          {items && (
            <Paging cursor={cursor} next={changes.data?.next} onGo={(to) => search({ cursor: to })}>
              {countOf(items.length, 'change')}, newest first
            </Paging>
          )}
        </ListView>
      </section>
    </Page>
  );
}

interface ChangeTableProps {
  changes: readonly Change[] | undefined;
  onKey: (of: { keyId: string; keyName: string | undefined }) => void;
}

function ChangeTable({ changes, onKey }: ChangeTableProps) {
  const columns: readonly Column<Change>[] = [
    { header: 'When', look: 'whitespace-nowrap', cell: ({ at }) => <Time instant={at} withSeconds /> },
    {
      header: 'Who',
      hideBelow: 'phone',
      cell: ({ keyId, keyName }) =>
        keyId === null ? (
          (keyName ?? 'unknown')
        ) : (
          <button
            type="button"
            className="hover:underline"
            title="Only its changes"
            onClick={() => onKey({ keyId, keyName: keyName ?? undefined })}
          >
            {keyName ?? shortId(keyId)}
          </button>
        ),
    },
    {
      header: 'What',
      look: 'font-medium wrap-anywhere phone:py-2 phone:leading-4.5',
      cell: (change) => <What change={change} />,
    },
    {
      header: 'Object',
      hideBelow: 'phone',
      cell: ({ subject }) => (subject === null ? '–' : <Subject id={subject} />),
    },
    {
      header: 'Detail',
      hideBelow: 'phone',
      look: 't2 max-w-90 wrap-anywhere py-1.5 leading-4.5',
      cell: ({ detail }) => describeDetail(detail),
    },
    {
      header: 'Ended',
      look: ({ status }) => (describeResult(status).isDone ? 'whitespace-nowrap c-ok' : 'whitespace-nowrap c-warn'),
      cell: ({ status }) => {
        const { isDone, words } = describeResult(status);
        return (
          <span className="row gap-1">
            <Icon name={isDone ? 'check' : 'cancelled'} size={14} />
            {words}
          </span>
        );
      },
    },
  ];
  return (
    <DataTable
      caption="Changes, newest first"
      className="table-auto"
      columns={columns}
      rows={changes}
      keyOf={({ id }) => id}
      loadingRows={12}
    />
  );
}

/** Summary of a change. On a phone, the cell also contains the author, the subject and the detail. */
function What({ change: { keyName, summary, subject, detail } }: { change: Change }) {
  const words = describeDetail(detail);
  return (
    <>
      {summary}
      <div className="narrow t3 sm font-normal">
        {keyName ?? 'unknown'}
        {subject !== null && (
          <>
            {' · '}
            <Subject id={subject} />
          </>
        )}
        {words !== '' && <div>{words}</div>}
      </div>
    </>
  );
}

const namesChangeRarely = 60_000;

/** The subject of a change: the name of a campaign, or the id of any other object. A link if the subject has a page. */
function Subject({ id }: { id: string }) {
  const isCampaign = id.startsWith('cmp_');
  const { data } = useQuery({
    ...getCampaignOptions({ path: { id } }),
    enabled: isCampaign,
    staleTime: namesChangeRarely,
    retry: false,
  });
  if (isCampaign && data) {
    return (
      <Link className="link" to="/campaigns/$campaignId" params={{ campaignId: id }} title={id}>
        {plainText(data.name)}
      </Link>
    );
  }
  const text = <span className="mono">{shortId(id)}</span>;
  if (id.startsWith('run_')) {
    return (
      <Link className="link" to="/runs/$runId" params={{ runId: id }} title={id}>
        run {text}
      </Link>
    );
  }
  return <span title={id}>{text}</span>;
}
