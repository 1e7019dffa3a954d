import type { Pool } from 'pg';
import { schemaOfTables } from '../../runtime/configuration/database-url.ts';

/** `may` is null if the schema does not exist. */
export interface RoomForTables {
  role: string;
  may: boolean | null;
}

export const selectRoomForTables = `
  select current_user::text as role, (
    select has_schema_privilege(oid, 'create') from pg_namespace where nspname = '${schemaOfTables}'
  ) as may`;

/** Returns a sentence for people if migrations cannot create tables; otherwise undefined. */
export function schemaProblem(room: RoomForTables | undefined): string | undefined {
  if (room?.may === true) return undefined;
  const place = `Muster keeps its tables in the schema ${schemaOfTables} of a database of its own`;
  const reason =
    typeof room?.may !== 'boolean'
      ? 'which this database does not have'
      : `and the role ${room.role} may not create tables there`;
  return `${place}, ${reason}: make the role the owner of the database and of this schema`;
}

export async function readSchemaProblem(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<RoomForTables>(selectRoomForTables);
  return schemaProblem(rows[0]);
}
