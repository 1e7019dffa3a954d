import { z } from 'zod';
import { SourceError, type Attributes } from './source.port.ts';

const userId = z.union([z.string(), z.number(), z.bigint(), z.instanceof(Buffer)]).transform(String);

/**
 * Returns the rows of a look-up by user.
 * @throws {SourceError} if a row has no `user_id`, or a user has several rows, because the right address is not known
 * then
 */
export function byUser(rows: readonly Record<string, unknown>[]): Map<string, Attributes> {
  const found = new Map<string, Attributes>();
  for (const row of rows) {
    const { success, data: user } = userId.safeParse(row['user_id']);
    if (!success) throw new SourceError('refused', 'the query has to return user_id in each row');
    if (found.has(user)) throw new SourceError('refused', `the query returns several rows for user_id "${user}"`);
    found.set(user, row);
  }
  return found;
}
