/**
 * What of a row of `jobs` goes into `ended_jobs` as it is, at its end; beside it, when and how it ended. The wish is
 * kept as long as its outcome: it can be read, and sent again.
 */
export const keptColumns = `id, client, accepted_at, scheduled_for, expires_at, call_digest, attempt, method, url, headers,
      body, is_body_gone, key, tags, schedule, repeats, terms,
      ordering_key, in_order`;

/** The same columns of the row that ends. @param forgets whether its client has bodies forgotten */
export const keptOf = (forgets: string) => `id, client, accepted_at, scheduled_for, expires_at,
      call_digest(key, headers, body), attempt, method, url, headers, case when not ${forgets} then body end,
      case when ${forgets} and body is not null then true end, key, tags, schedule, repeats, terms,
      ordering_key, in_order`;

/** Asked row by row: where jobs are called, dispatchers know it. */
export const clientForgets = (
  row: string,
) => `coalesce((select not (c.definition -> 'keepBodies')::boolean from clients c
      where c.id = ${row}.client), false)`;
