import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { Icon } from '../icon/icon.tsx';
import { useCurrentMinute } from '../browser/now.ts';
import { useZone } from '../times/zone.ts';
import { ownTimeColumn } from './own-time-column.ts';
import { fireRows } from './fire-rows.ts';
import { zoneCity } from './zone-words.ts';
import { useNextFires } from './use-next-fires.ts';
import type { WhenForm } from './when-form.ts';

/** The next five starts, in the rule's zone and the user's, with the effects of clock changes. */
export function NextFires({ when }: { when: WhenForm }) {
  const own = useZone().zone;
  const now = new Date(useCurrentMinute());
  const { fires, zone, isBehind, error } = useNextFires(when);
  if (fires === undefined) {
    const text = error === null ? 'Calculating the next starts…' : 'The next starts are shown once the rule is valid.';
    return <p className="t3 sm py-2">{text}</p>;
  }
  if (fires.length === 0) return <p className="t3 sm py-2">The rule has no start within these bounds.</p>;
  const rows = fireRows(fires, { zone, own, now }).map((row, index) => ({ ...row, no: index + 1 }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { header: 'Number', isHeaderHidden: true, look: 't3', cell: ({ no }) => no },
    {
      header: `Next five, ${zoneCity(zone)}`,
      look: ({ ownTime }) => (ownTime === null ? 'whitespace-nowrap t3' : 'font-medium whitespace-nowrap'),
      cell: ({ time }) => time,
    },
    ...(own === zone ? [] : [{ ...ownTimeColumn(own), hideBelow: 'phone' as const }]),
    {
      header: 'Note',
      look: ({ mark }) => (mark === null ? 't3' : 'c-warn'),
      cell: ({ mark }) =>
        mark !== null && (
          <span className="row gap-1">
            <Icon name={mark.icon} size={14} />
            <span>{mark.text}</span>
          </span>
        ),
    },
  ];
  return (
    <div className="box scroll [--row:30px] aria-busy:text-faint [&_td:first-child]:w-8.5" aria-busy={isBehind}>
      <DataTable caption="The next starts" columns={columns} rows={rows} keyOf={({ key }) => key} />
    </div>
  );
}
