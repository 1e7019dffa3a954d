import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { StoredAudiences } from '../../../../shared/ports/stored-audiences.ts';
import { notFound } from '../../frame/http-problem.ts';
import type { AudienceRecord } from './audience-store.port.ts';

export interface ListedUser {
  user: string;
  country: string;
}

/**
 * Yields the users of a ready list, ordered by country and id. Reads about a thousand users at a time.
 * @param after user after whom the result begins
 * @throws {HttpProblem} 404 if the list is deleted meanwhile; otherwise the caller could take a part of the list for
 * the whole
 */
export async function* usersOfList(
  { audienceId, countries }: Pick<AudienceRecord, 'audienceId' | 'countries'>,
  storedAudiences: Pick<StoredAudiences, 'listPage'>,
  after: ListedUser | null = null,
): AsyncGenerator<ListedUser> {
  for (const { country } of countries) {
    if (after && country < after.country) continue;
    let last = after?.country === country ? after.user : null;
    for (;;) {
      const page = await storedAudiences.listPage(audienceId, country, last);
      if (!page) throw notFound('audience', publicId('audience', audienceId));
      for (const user of page.users) yield { user, country };
      last = page.users.at(-1) ?? null;
      if (page.isLast || last === null) break;
    }
  }
}
