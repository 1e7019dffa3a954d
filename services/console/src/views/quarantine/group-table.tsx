import type { ReactNode } from 'react';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Time } from '../../parts/times/time.tsx';

export interface QuarantinedGroup {
  items: number;
  firstAt: string;
  lastAt: string;
}

export interface GroupTableProps<Group> {
  caption: string;
  groups: readonly Group[] | undefined;
  keyOf: (group: Group) => string;
  chosen: Group | undefined;
  onChoose: (group: Group) => void;
  header: string;
  title: (group: Group) => ReactNode;
  note: (group: Group) => ReactNode;
  counts: readonly Column<Group>[];
}

/** Groups of quarantined items. The chosen group is shown beside the table. */
export function GroupTable<Group extends QuarantinedGroup>(props: GroupTableProps<Group>) {
  const { caption, groups, keyOf, chosen, onChoose, header, title, note, counts } = props;
  const columns: Column<Group>[] = [
    {
      header,
      cell: (group) => (
        <button
          type="button"
          className="font-medium text-left wrap-anywhere hover:underline phone:min-h-7"
          aria-pressed={group === chosen}
          data-row-link
          onClick={() => onChoose(group)}
        >
          {title(group)}
        </button>
      ),
      below: note,
    },
    ...counts,
    {
      header: 'Last',
      align: 'right',
      hideBelow: 'phone',
      look: 'whitespace-nowrap',
      cell: ({ lastAt }) => <Time instant={lastAt} />,
      below: ({ firstAt }) => (
        <>
          first <Time instant={firstAt} />
        </>
      ),
    },
  ];
  return (
    <DataTable
      caption={caption}
      columns={columns}
      rows={groups}
      keyOf={keyOf}
      isTall
      isChosen={(group) => group === chosen}
      hasRowKeys
    />
  );
}
