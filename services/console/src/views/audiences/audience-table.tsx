import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListedAudience } from '#client/types.gen.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { formatListSize } from '../../parts/audience/list-texts.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { truncateMiddle } from './detail/audience-words.ts';
import { ListExpiry, useExpiresSoon } from './detail/list-expiry.tsx';
import { describeSizeSource } from './detail/size-words.ts';
import { describeSource, describeUse } from './listed-words.ts';
import { selectAudience, type AudiencesSearch } from './search.ts';

interface AudienceTableProps {
  audiences: readonly ListedAudience[] | undefined;
  selected: { kind: string; id: string } | undefined;
  search: AudiencesSearch;
}

export function AudienceTable({ audiences, selected, search }: AudienceTableProps) {
  const isSelected = ({ kind, id }: ListedAudience) => kind === selected?.kind && id === selected.id;
  const columns: readonly Column<ListedAudience>[] = [
    {
      header: 'Audience',
      cell: (audience) => <Name audience={audience} isSelected={isSelected(audience)} search={search} />,
      below: (audience) => <div className="truncate pl-5.25">{describeSource(audience)}</div>,
    },
    {
      header: 'Users',
      align: 'right',
      width: 'w-39 phone:w-37',
      look: 'two',
      cell: (audience) => <Size audience={audience} />,
    },
    {
      header: 'Rejected',
      align: 'right',
      width: 'w-18.5',
      hideBelow: 'phone',
      cell: ({ rejected }) => <BadLines rejected={rejected} />,
    },
    {
      header: 'Used by',
      sorted: 'descending',
      width: 'w-47',
      hideBelow: 'phone',
      look: 'two',
      cell: (audience) => <Use audience={audience} />,
    },
  ];
  return (
    <DataTable
      caption="Uploaded lists, segments and saved audiences, the most used first"
      className="table-fixed"
      columns={columns}
      rows={audiences}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      isTall
      isChosen={isSelected}
      hasRowKeys
      loadingRows={10}
    />
  );
}

const icons = { list: 'audit', segment: 'users', saved: 'star' } as const;

interface AudienceProps {
  audience: ListedAudience;
}

function Name({ audience, isSelected, search }: AudienceProps & { isSelected: boolean; search: AudiencesSearch }) {
  const text = plainText(audience.name);
  const isFailed = audience.state === 'failed';
  return (
    <div className="font-medium row gap-1.75">
      <Icon name={isFailed ? 'failed' : icons[audience.kind]} size={14} className={isFailed ? 'c-bad' : 't3'} />
      <Link
        className="truncate after:absolute after:inset-0 phone:whitespace-normal phone:wrap-anywhere"
        to="/audiences"
        search={selectAudience(search, audience)}
        title={text}
        aria-current={isSelected ? 'true' : undefined}
        data-row-link
      >
        {truncateMiddle(text)}
      </Link>
    </div>
  );
}

function BadLines({ rejected }: Pick<ListedAudience, 'rejected'>) {
  if (rejected === null) return <span className="t3">–</span>;
  if (rejected === 0) return <span className="z">0</span>;
  return (
    <span className="c-warn inline-flex items-center gap-1.25">
      <Icon name="warn" size={14} />
      {formatCount(rejected)}
    </span>
  );
}

function Use({ audience }: AudienceProps) {
  const { expiresAt, usedBy, usedBySaved } = audience;
  const isSoon = useExpiresSoon(expiresAt);
  const { count, note } = describeUse(audience);
  return (
    <>
      <div className={usedBy + usedBySaved === 0 ? 'truncate t3' : 'truncate'} title={count}>
        {count}
      </div>
      {expiresAt !== null && (note === null || isSoon) ? (
        <div className={isSoon ? 'truncate c-warn' : 'truncate'}>
          deleted on <ListExpiry expiresAt={expiresAt} />
        </div>
      ) : (
        note !== null && (
          <div className="truncate" title={note}>
            {note}
          </div>
        )
      )}
    </>
  );
}

function Size({ audience }: AudienceProps) {
  const { state, size, createdAt } = audience;
  const began = createdAt !== null && <Time instant={createdAt} />;
  if (state === 'failed') return <TwoLines first={<span className="c-bad">failed</span>} second={began} />;
  if (state === 'receiving') return <TwoLines first={<span className="t2">upload in progress</span>} second={began} />;
  if (size === null) return <TwoLines first={<span className="t3">not known</span>} second="not counted yet" />;
  const when = size.asOf === null ? 'reported now' : <Time instant={size.asOf} className="whitespace-nowrap" />;
  const verb = describeSizeSource(audience);
  return (
    <TwoLines
      first={formatListSize(size)}
      second={
        <>
          {size.asOf !== null && verb !== '' && `${verb} `}
          {when}
        </>
      }
    />
  );
}

function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <>
      <div className="whitespace-nowrap">{first}</div>
      <div>{second}</div>
    </>
  );
}
