/**
 * Columns of `jobs` that are copied unchanged into `ended_jobs` when a job ends; the time and the outcome are added.
 * The request is kept as long as its outcome: it can be read, and sent again.
 */
export const keptColumns = `id, client, accepted_at, scheduled_for, expires_at, call_digest, attempt, method, url, headers,
      body, is_body_omitted, key, tags, schedule, repeats, terms,
      ordering_key, in_order`;

/**
 * Values of `keptColumns` from the row that ends.
 * @param forgets SQL condition: the client has bodies deleted when a job ends
 */
export const keptOf = (forgets: string) => `id, client, accepted_at, scheduled_for, expires_at,
      call_digest(key, headers, body), attempt, method, url, headers, case when not ${forgets} then body end,
      case when ${forgets} and body is not null then true end, key, tags, schedule, repeats, terms,
      ordering_key, in_order`;

/**
 * Condition: bodies of the client's jobs are deleted when the jobs end. Looks up the setting for each row. Statements
 * that call jobs do not need the look-up, because dispatchers already know the setting.
 */
export const clientForgets = (
  row: string,
) => `coalesce((select not (c.definition -> 'keepBodies')::boolean from clients c
      where c.id = ${row}.client), false)`;
