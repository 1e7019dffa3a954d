import type { Column } from '../data-table/columns.tsx';
import type { FireRow } from './fire-rows.ts';
import { zoneCity } from './zone-words.ts';

export function ownTimeColumn(zone: string): Column<FireRow> {
  return {
    header: zoneCity(zone),
    look: 't2 whitespace-nowrap',
    cell: ({ ownTime }) => ownTime ?? '–',
  };
}
