import { Link } from '@tanstack/react-router';
import type { Audience } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { midCut, usedByWords } from './audience-words.ts';
import type { AudiencesSearch } from './search.ts';

interface AudienceTableProps {
  /** Undefined while they are asked for. */
  audiences: readonly Audience[] | undefined;
  shownId: string | undefined;
  search: AudiencesSearch;
}

export function AudienceTable({ audiences, shownId, search }: AudienceTableProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  return (
    <table className="table-fixed">
      <caption className="sr-only">Uploaded lists, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Audience</th>
          <th scope="col" className="text-right w-37">
            Users
          </th>
          <th scope="col" className="text-right wide w-20.5">
            Bad lines
          </th>
          <th scope="col" className="wide w-42">
            Used by
          </th>
        </tr>
      </thead>
      <tbody ref={rows}>
        {audiences?.map((audience) => (
          <Row key={audience.id} audience={audience} isShown={audience.id === shownId} search={search} />
        )) ?? <SkeletonRows rows={10} columns={[180, 90, 30, 90]} tall />}
      </tbody>
    </table>
  );
}

function Row({ audience, isShown, search }: { audience: Audience; isShown: boolean; search: AudiencesSearch }) {
  const { id, name, state, users, countries, rejected, createdAt, readyAt } = audience;
  const shown = plainText(name);
  return (
    <tr className={isShown ? 'tall sel' : 'tall'} data-row>
      <td className="two">
        <div className="font-medium row gap-1.75">
          <Icon
            name={state === 'failed' ? 'failed' : 'audit'}
            size={14}
            className={state === 'failed' ? 'c-bad' : 't3'}
          />
          <Link
            className="truncate after:absolute after:inset-0 phone:whitespace-normal phone:wrap-anywhere"
            to="/audiences"
            search={{ ...search, id }}
            title={shown}
            aria-current={isShown ? 'true' : undefined}
            data-row-link
          >
            {midCut(shown)}
          </Link>
        </div>
        <div className="truncate pl-5.25">
          uploaded list
          {countries.length > 0 &&
            ` · ${countries.length <= 6 ? countries.map(({ country }) => country).join(', ') : `${countries.length} countries`}`}
        </div>
      </td>
      <td className="two text-right">
        <div className="whitespace-nowrap">
          {state === 'ready' ? (
            formatCount(users)
          ) : state === 'failed' ? (
            <span className="c-bad">failed</span>
          ) : (
            <span className="t2">rows come in</span>
          )}
        </div>
        <div className="whitespace-nowrap">
          <Time instant={readyAt ?? createdAt} />
        </div>
      </td>
      <td className="text-right wide">
        {rejected > 0 ? (
          <span className="c-warn inline-flex items-center gap-1.25">
            <Icon name="warn" size={14} />
            {formatCount(rejected)}
          </span>
        ) : (
          <span className="z">0</span>
        )}
      </td>
      <td className={audience.usedBy === 0 ? 'wide t3' : 'wide'}>{usedByWords(audience)}</td>
    </tr>
  );
}
