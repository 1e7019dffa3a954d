import { z } from 'zod';
import { textShape } from '../../../../shared/contracts/stored-texts.ts';
import { invalidCursor } from '../../frame/public-ids.ts';
import type { NamedPlace } from './postgres/listed-audience-store.ts';

export interface OfferedPlace {
  section: 'offered';
  /** Cursor of the segmentation service; null means its first segment. */
  after: string | null;
  /** Number of segments to skip after the cursor. */
  skip: number;
}

export type ListPlace = { section: 'named'; after: NamedPlace | null } | OfferedPlace;

const int = z.int().min(0);
const cursorShape = z.union([
  z.tuple([z.literal('n'), int.max(2_147_483_647), int]),
  z.tuple([z.literal('o'), textShape(500, 1).nullable(), int]),
]);

export function cursorOf(place: ListPlace): string {
  const values =
    place.section === 'offered' ? ['o', place.after, place.skip] : ['n', place.after?.uses, place.after?.seq];
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * Decodes a cursor.
 * @throws {HttpProblem} 422 if the cursor is invalid
 */
export function placeOf(cursor: string | undefined): ListPlace {
  if (cursor === undefined) return { section: 'named', after: null };
  const values = cursorShape.safeParse(read(cursor)).data;
  if (!values) throw invalidCursor(cursor);
  if (values[0] === 'n') return { section: 'named', after: { uses: values[1], seq: values[2] } };
  return { section: 'offered', after: values[1], skip: values[2] };
}

function read(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
