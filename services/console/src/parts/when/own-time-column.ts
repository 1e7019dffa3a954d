import type { Column } from '../data-table/columns.tsx';
import type { FireRow } from './fire-rows.ts';
import { zonePlace } from './zone-words.ts';

export function ownTimeColumn(zone: string): Column<FireRow> {
  return {
    header: zonePlace(zone),
    look: 't2 whitespace-nowrap',
    cell: ({ ownTime }) => ownTime ?? '–',
  };
}
