import type { SegmentQuery } from '../databases/source.port.ts';
import type { SegmentTerms } from './snapshot-store.port.ts';

/** A segment of the file, ready for use. */
export interface SegmentSettings extends SegmentTerms {
  name: string;
  description?: string | undefined;
  /** Name of the segment's database. */
  database: string;
  query: SegmentQuery;
  onDuplicates: 'refuse' | 'first';
}
