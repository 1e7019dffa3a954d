import { getRouteApi, Link } from '@tanstack/react-router';
import type { SavedAudience } from '#client/types.gen.ts';
import { Icon } from '../../../parts/icon/icon.tsx';
import { useRowKeys } from '../../../parts/keys/use-row-keys.ts';
import { SkeletonRows } from '../../../parts/standing/skeleton.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { countOf } from '../../../parts/words/numbers.ts';
import { plainText } from '../../../parts/words/plain-text.ts';
import { usedByWords } from '../audience-words.ts';

const route = getRouteApi('/audiences');

interface SavedTableProps {
  /** Undefined while they are asked for. */
  saved: readonly SavedAudience[] | undefined;
  shownId: string | undefined;
}

export function SavedTable({ saved, shownId }: SavedTableProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  return (
    <table className="table-fixed">
      <caption className="sr-only">Saved audiences, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Audience</th>
          <th scope="col" className="w-34">
            Used by
          </th>
          <th scope="col" className="wide text-right w-42">
            Changed
          </th>
        </tr>
      </thead>
      <tbody ref={rows}>
        {saved?.map((each) => <Row key={each.id} saved={each} isShown={each.id === shownId} />) ?? (
          <SkeletonRows rows={10} columns={[180, 90, 90]} tall />
        )}
      </tbody>
    </table>
  );
}

function Row({ saved, isShown }: { saved: SavedAudience; isShown: boolean }) {
  const { id, name, owner, countries, audience, updatedAt } = saved;
  const search = route.useSearch();
  const sources = audience.include.length + (audience.exclude ?? []).length;
  return (
    <tr className={isShown ? 'tall sel' : 'tall'} data-row>
      <td className="two">
        <div className="font-medium row gap-1.75">
          <Icon name="star" size={14} className="t3" />
          <Link
            className="truncate after:absolute after:inset-0 phone:whitespace-normal phone:wrap-anywhere"
            to="/audiences"
            search={{ ...search, id }}
            title={plainText(name)}
            aria-current={isShown ? 'true' : undefined}
            data-row-link
          >
            {plainText(name)}
          </Link>
        </div>
        <div className="truncate pl-5.25">
          {[
            countOf(sources, 'source'),
            countries.length <= 6 ? countries.join(', ') : `${countries.length} countries`,
            ...(owner === undefined ? [] : [plainText(owner)]),
          ].join(' · ')}
        </div>
      </td>
      <td className={saved.usedBy === 0 ? 't3' : undefined}>{usedByWords(saved)}</td>
      <td className="wide text-right t2">
        <Time instant={updatedAt} />
      </td>
    </tr>
  );
}
