import { reasons } from '../../domain/step/reasons.ts';
import { failureCode } from './ledger-codes.ts';

/**
 * Failures of users that no later run has retried. A table expression over `family` (id, created_at: a run and its
 * child runs) with the columns feed, country, variant, step, user_id and reason. A user that was selected for a retry
 * but never fed still counts.
 * @param places placeholders: the run (or null for the whole family), filters (arrays or null), and the time until
 * which failures count
 */
export const standingFailures = (places: {
  of: string;
  steps: string;
  countries: string;
  reasons: string;
  until: string;
}) => `
  select f.feed, f.country, f.variant, u.step, u.user_id, u.reason
  from family m
  join feeds f on f.run = m.id
  cross join lateral (
    select step, user_id, reason from user_failures
    where feed = f.feed and outcome = ${failureCode.failed} and reason <> '${reasons.invalidUserId}'
      and failed_at <= ${places.until}
      and (${places.steps}::int[] is null or step = any(${places.steps}))
        and (${places.reasons}::text[] is null or reason = any(${places.reasons}))
  ) u
  where (${places.of}::uuid is null or m.id = ${places.of}) and (${places.countries}::text[] is null
    or f.country = any(${places.countries}))
    and not exists (
      select from family l
      join feeds c on c.run = l.id and c.country = f.country
      join explicit_users t on t.feed = c.feed and t.user_id = u.user_id
      where (l.created_at, l.id) > (m.created_at, m.id)
        and (c.complete or t.user_id <= (c.cursor::jsonb #>> '{}') collate "C")
    )`;
