import type { Pool } from 'pg';
import type { apiKeyKinds } from '../../../../../shared/contracts/access/api-keys.ts';
import type { Role } from '../../../../../shared/domain/roles.ts';
import { readsAllUsers, type Scope } from '../../../../../shared/domain/scopes.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { Page } from '../../../frame/page.port.ts';
import { patternOf } from '../../../frame/postgres/name-pattern.ts';
import { pageOf, requireIdCursor } from '../../../frame/postgres/pages.ts';
import { isGoodKey, keyFields, keyOf, keyState, type ApiKeyRecord, type KeyRow, type KeyState } from './key-rows.ts';

type KeyKind = (typeof apiKeyKinds)[number];

export interface KeyFilter {
  state?: KeyState | undefined;
  role?: Role | undefined;
  /** Only API keys, or only people of an issuer. */
  kind?: KeyKind | undefined;
  /** True for keys that were used at least once. */
  used?: boolean | undefined;
  /** Only active keys that expire within this many days. */
  endsWithinDays?: number | undefined;
  /** True for keys that were refused in the last seven days. */
  refused?: boolean | undefined;
  q?: string | undefined;
  /** Only keys whose scope is within this scope. */
  within: Scope;
}

/**
 * Returns keys, newest first, including those revoked in the last thirty days. `cursor` is the id of the last key of
 * the previous page.
 */
export async function listKeys(
  pool: Pool,
  { within, q, ...filter }: KeyFilter,
  limit: number,
  cursor: string | null,
): Promise<Page<ApiKeyRecord>> {
  requireIdCursor(cursor);
  const { state = null, role = null, kind = null, used = null, endsWithinDays = null, refused = null } = filter;
  const wanted = { state, role, kind, used, endsWithinDays, refused, pattern: patternOf(q) };
  const isReader = readsAllUsers(within);
  const { rows } = await pool.query<KeyRow>(
    selectKeys.with({ ...within, ...wanted, isReader, cursor, limit: limit + 1 }),
  );
  return pageOf(rows.map(keyOf), limit, ({ key }) => key);
}

interface ListParams extends Scope {
  state: KeyState | null;
  role: Role | null;
  kind: KeyKind | null;
  used: boolean | null;
  endsWithinDays: number | null;
  refused: boolean | null;
  pattern: string | null;
  cursor: string | null;
  limit: number;
  /** True if the caller may read users. If not, keys that may read users are omitted from the list. */
  isReader: boolean;
}

const holds = (outer: string, inner: string) => `(${outer} is null or coalesce(${inner} <@ ${outer}, false))`;

const selectKeys = unnamedStatementOf<ListParams>(
  ($) => `
  select ${keyFields} from api_keys k
  where (${$('cursor')}::uuid is null or k.id < ${$('cursor')}::uuid)
    and (k.revoked_at is null or k.revoked_at > now() - interval '30 days')
    and (${$('state')}::text is null or ${keyState} = ${$('state')}::text)
    and (${$('role')}::text is null or k.role = ${$('role')})
    and (${$('kind')}::text is null or (k.issuer is null) = (${$('kind')} = 'key'))
    and (${$('used')}::bool is null or (k.last_used_at is not null) = ${$('used')})
    and (${$('endsWithinDays')}::int is null
      or (${isGoodKey} and k.expires_at <= now() + ${$('endsWithinDays')} * interval '1 day'))
    and (${$('refused')}::bool is null
      or coalesce(k.last_refused_at > now() - interval '7 days', false) = ${$('refused')})
    and (${$('pattern')}::text is null or k.name ilike ${$('pattern')} or k.owner ilike ${$('pattern')})
    and ${holds(`${$('clients')}::uuid[]`, 'k.clients')}
    and ${holds(`${$('countries')}::text[]`, 'k.countries')}
    and ${holds(`${$('actionTypes')}::text[]`, 'k.action_types')}
    and (not k.reads_users or ${$('isReader')}::boolean)
  order by k.id desc limit ${$('limit')}`,
);
