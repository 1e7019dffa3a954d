import { z } from 'zod';
import { textShape } from '../../../../shared/contracts/stored-texts.ts';
import { invalidCursor } from '../../frame/public-ids.ts';
import type { NamedPlace } from './postgres/listed-audience-store.ts';

export interface OfferedPlace {
  of: 'offered';
  /** Cursor of the service; null: from its first segment. */
  after: string | null;
  /** Segments to skip after the cursor. */
  skip: number;
}

export type ListPlace = { of: 'named'; after: NamedPlace | null } | OfferedPlace;

const int = z.int().min(0);
const written = z.union([
  z.tuple([z.literal('n'), int.max(2_147_483_647), int]),
  z.tuple([z.literal('o'), textShape(500, 1).nullable(), int]),
]);

export function cursorOf(place: ListPlace): string {
  const said = place.of === 'offered' ? ['o', place.after, place.skip] : ['n', place.after?.uses, place.after?.seq];
  return Buffer.from(JSON.stringify(said)).toString('base64url');
}

/** @throws {HttpProblem} 422 for an invalid cursor */
export function placeOf(cursor: string | undefined): ListPlace {
  if (cursor === undefined) return { of: 'named', after: null };
  const said = written.safeParse(read(cursor)).data;
  if (!said) throw invalidCursor(cursor);
  if (said[0] === 'n') return { of: 'named', after: { uses: said[1], seq: said[2] } };
  return { of: 'offered', after: said[1], skip: said[2] };
}

function read(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
