import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListedAudience } from '#client/types.gen.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { sizeText } from '../../parts/audience/use-words.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { midCut } from './audience-words.ts';
import { ListEnd, useIsSoon } from './list-end.tsx';
import { sizeVerb, sourceWords, wordsOfUse } from './listed-words.ts';
import { shownIn, type AudiencesSearch } from './search.ts';

interface AudienceTableProps {
  audiences: readonly ListedAudience[] | undefined;
  shown: { kind: string; id: string } | undefined;
  search: AudiencesSearch;
}

export function AudienceTable({ audiences, shown, search }: AudienceTableProps) {
  const isShown = ({ kind, id }: ListedAudience) => kind === shown?.kind && id === shown.id;
  const columns: readonly Column<ListedAudience>[] = [
    {
      header: 'Audience',
      cell: (audience) => <Name audience={audience} isShown={isShown(audience)} search={search} />,
      below: (audience) => <div className="truncate pl-5.25">{sourceWords(audience)}</div>,
    },
    {
      header: 'Users',
      align: 'right',
      width: 'w-39 phone:w-37',
      look: 'two',
      cell: (audience) => <Size audience={audience} />,
    },
    {
      header: 'Bad lines',
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
      isChosen={isShown}
      hasRowKeys
      loadingRows={10}
    />
  );
}

const icons = { list: 'audit', segment: 'users', saved: 'star' } as const;

interface OfAudience {
  audience: ListedAudience;
}

function Name({ audience, isShown, search }: OfAudience & { isShown: boolean; search: AudiencesSearch }) {
  const text = plainText(audience.name);
  const isFailed = audience.state === 'failed';
  return (
    <div className="font-medium row gap-1.75">
      <Icon name={isFailed ? 'failed' : icons[audience.kind]} size={14} className={isFailed ? 'c-bad' : 't3'} />
      <Link
        className="truncate after:absolute after:inset-0 phone:whitespace-normal phone:wrap-anywhere"
        to="/audiences"
        search={shownIn(search, audience)}
        title={text}
        aria-current={isShown ? 'true' : undefined}
        data-row-link
      >
        {midCut(text)}
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

function Use({ audience }: OfAudience) {
  const { expiresAt, usedBy, usedBySaved } = audience;
  const isSoon = useIsSoon(expiresAt);
  const { count, note } = wordsOfUse(audience);
  return (
    <>
      <div className={usedBy + usedBySaved === 0 ? 'truncate t3' : 'truncate'} title={count}>
        {count}
      </div>
      {expiresAt !== null && (note === null || isSoon) ? (
        <div className={isSoon ? 'truncate c-warn' : 'truncate'}>
          deleted on <ListEnd expiresAt={expiresAt} />
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

function Size({ audience }: OfAudience) {
  const { state, size, createdAt } = audience;
  const began = createdAt !== null && <Time instant={createdAt} />;
  if (state === 'failed') return <TwoLines first={<span className="c-bad">failed</span>} second={began} />;
  if (state === 'receiving') return <TwoLines first={<span className="t2">rows come in</span>} second={began} />;
  if (size === null) return <TwoLines first={<span className="t3">not known</span>} second="not counted yet" />;
  const when = size.asOf === null ? 'as offered now' : <Time instant={size.asOf} className="whitespace-nowrap" />;
  const verb = sizeVerb(audience);
  return (
    <TwoLines
      first={sizeText(size)}
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
