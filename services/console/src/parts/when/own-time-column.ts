import type { Column } from '../data-table/columns.tsx';
import type { FireRow } from './fire-rows.ts';
import { zonePlace } from './zone-words.ts';

/** Column of the starts in the user's zone, beside those in the rule's. */
export function ownTimeColumn(zone: string): Column<FireRow> {
  return {
    header: zonePlace(zone),
    look: 't2 whitespace-nowrap',
    cell: ({ ownTime }) => ownTime ?? '–',
  };
}
