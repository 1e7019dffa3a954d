import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NamedAudience } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { midCut } from './audience-words.ts';
import { ListEnd, useIsSoon } from './list-end.tsx';
import { sizeText, sizeVerb, sourceWords, wordsOfUse } from './named-words.ts';
import { shownIn, type AudiencesSearch } from './search.ts';

interface NamedTableProps {
  /** Undefined while they are asked for. */
  audiences: readonly NamedAudience[] | undefined;
  shown: { kind: string; id: string } | undefined;
  search: AudiencesSearch;
}

/** Lists, segments and saved audiences, the most used first. */
export function NamedTable({ audiences, shown, search }: NamedTableProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  return (
    <table className="table-fixed">
      <caption className="sr-only">Uploaded lists, segments and saved audiences, the most used first</caption>
      <thead>
        <tr>
          <th scope="col">Audience</th>
          <th scope="col" className="text-right w-39 phone:w-37">
            Users
          </th>
          <th scope="col" className="text-right wide w-18.5">
            Bad lines
          </th>
          <th scope="col" className="wide w-47" aria-sort="descending">
            Used by <Icon name="dn" size={12} />
          </th>
        </tr>
      </thead>
      <tbody ref={rows}>
        {audiences?.map((audience) => (
          <Row
            key={`${audience.kind} ${audience.id}`}
            audience={audience}
            isShown={audience.kind === shown?.kind && audience.id === shown.id}
            search={search}
          />
        )) ?? <SkeletonRows rows={10} columns={[180, 90, 30, 90]} tall />}
      </tbody>
    </table>
  );
}

const icons = { list: 'audit', segment: 'users', saved: 'star' } as const;

function Row({ audience, isShown, search }: { audience: NamedAudience; isShown: boolean; search: AudiencesSearch }) {
  const { kind, name, state, rejected, expiresAt } = audience;
  const isSoon = useIsSoon(expiresAt);
  const text = plainText(name);
  const isFailed = state === 'failed';
  const { count, note } = wordsOfUse(audience);
  return (
    <tr className={isShown ? 'tall sel' : 'tall'} data-row>
      <td className="two">
        <div className="font-medium row gap-1.75">
          <Icon name={isFailed ? 'failed' : icons[kind]} size={14} className={isFailed ? 'c-bad' : 't3'} />
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
        <div className="truncate pl-5.25">{sourceWords(audience)}</div>
      </td>
      <td className="two text-right">
        <Size audience={audience} />
      </td>
      <td className="text-right wide">
        {rejected === null ? (
          <span className="t3">–</span>
        ) : rejected > 0 ? (
          <span className="c-warn inline-flex items-center gap-1.25">
            <Icon name="warn" size={14} />
            {formatCount(rejected)}
          </span>
        ) : (
          <span className="z">0</span>
        )}
      </td>
      <td className="two wide">
        <div className={audience.usedBy + audience.usedBySaved === 0 ? 'truncate t3' : 'truncate'} title={count}>
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
      </td>
    </tr>
  );
}

/** One number, and how old it is. */
function Size({ audience }: { audience: NamedAudience }) {
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
