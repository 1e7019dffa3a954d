import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listSegmentsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Segment } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { segmentUse, segmentsFrom } from '../../parts/audience/segment-words.ts';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { SegmentDialog } from './segment-dialog.tsx';
import { KindChoice } from './kind-choice.tsx';

const route = getRouteApi('/audiences');
const pageSize = 50;

/** Segments as the segmentation service offers them: what each is, how large, and who uses it. */
export function SegmentsView() {
  const { text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { limit: pageSize, ...(text !== undefined && { q: text }), ...(cursor !== undefined && { cursor }) };
  const segments = useQuery({ ...listSegmentsOptions({ query }), placeholderData: keepPreviousData });
  const error = useKeptError(segments);
  const { data } = segments;
  const note = data && segmentsFrom(data);
  return (
    <Page title="Audiences">
      <div className="row flex-wrap">
        <KindChoice of="segments" />
        <span className="ml-auto row phone:w-full">
          <SearchField
            placeholder="Name or id"
            value={text ?? ''}
            onSearch={(wanted) => void navigate({ search: { of: 'segments', ...(wanted !== '' && { text: wanted }) } })}
          />
        </span>
      </div>
      {typeof note === 'string' && (
        <p className="t2 sm" role="status">
          {note}
        </p>
      )}
      <section className="panel overflow-hidden" aria-label="Segments">
        {data === undefined && error !== null ? (
          <Failed title="The segments could not be read" error={error} onRetry={() => void segments.refetch()} />
        ) : data?.items.length === 0 && text !== undefined ? (
          <NoMatch title="No segment matches" onClear={() => void navigate({ search: { of: 'segments' } })}>
            {`Called “${text}”.`}
          </NoMatch>
        ) : data?.items.length === 0 ? (
          <Empty icon="users" title="No segments to choose from">
            The segmentation service offers no list, and no campaign has named one yet. New campaigns can name them by
            their ids.
          </Empty>
        ) : (
          <SegmentTable segments={data?.items} />
        )}
        {data !== undefined && data.items.length > 0 && (
          <Paging
            cursor={cursor}
            next={data.next}
            words={{ before: 'Before', behind: 'More' }}
            onGo={(to) => void navigate({ search: (before) => ({ ...before, cursor: to }) })}
          >
            {countOf(data.items.length, 'segment')}
          </Paging>
        )}
      </section>
    </Page>
  );
}

function SegmentTable({ segments }: { segments: readonly Segment[] | undefined }) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  const [opened, setOpened] = useState<Segment | null>(null);
  const refusal = useRefusal('manager');
  return (
    <>
      <table className="table-fixed">
        <caption className="sr-only">Segments, with how many users each has and which campaigns use it</caption>
        <thead>
          <tr>
            <th scope="col">Segment</th>
            <th scope="col" className="text-right w-37">
              Users, estimated
            </th>
            <th scope="col" className="wide w-42">
              Countries
            </th>
            <th scope="col" className="wide w-42">
              Used by
            </th>
            <th scope="col" className="w-24">
              <span className="sr-only">Use</span>
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {segments?.map((segment) => (
            <Row key={segment.id} segment={segment} mayUse={refusal === undefined} onOpen={() => setOpened(segment)} />
          )) ?? <SkeletonRows rows={10} columns={[180, 90, 90, 90, 60]} tall />}
        </tbody>
      </table>
      {opened !== null && <SegmentDialog segment={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

function Row({ segment, mayUse, onOpen }: { segment: Segment; mayUse: boolean; onOpen: () => void }) {
  const { id, name, description, countries, estimate, usedBy } = segment;
  return (
    <tr className="tall" data-row>
      <td className="two">
        <button
          type="button"
          className="link font-medium wrap-anywhere text-left phone:min-h-10"
          onClick={onOpen}
          data-row-link
        >
          {plainText(name)}
        </button>
        <div className="truncate">
          {[...(name === id ? [] : [id]), ...(description === null ? [] : [description])].map(plainText).join(' · ')}
        </div>
      </td>
      <td className="text-right">
        {estimate === null ? <span className="t3">not known</span> : formatCount(estimate)}
      </td>
      <td className="wide t2">
        {countries === null
          ? 'not said'
          : countries.length <= 6
            ? countries.join(', ')
            : `${countries.length} countries`}
      </td>
      <td className={usedBy === 0 ? 'wide t3' : 'wide'}>
        {usedBy === 0 ? (
          segmentUse(segment)
        ) : (
          <Link className="link" to="/campaigns" search={{ segment: id }}>
            {segmentUse(segment)}
          </Link>
        )}
      </td>
      <td className="text-right">
        {mayUse && (
          <Link className="btn s" to="/campaigns/new" search={{ segment: id }} aria-label={`Use ${plainText(name)}`}>
            Use it…
          </Link>
        )}
      </td>
    </tr>
  );
}
