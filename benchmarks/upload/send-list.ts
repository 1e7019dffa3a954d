import { Readable } from 'node:stream';
import type { Pool } from 'undici';
import { z } from 'zod';
import { chunksOf, type Kind } from './lists.ts';

export const apiKey = 'muster_upload_benchmark';

/** Deletes all lists, so that the next turn begins with tables of the same size. */
export const emptyLists = 'truncate audiences, audience_parts, audience_rejects';

const uploaded = z.object({ users: z.int(), rejected: z.int() });

/** Uploads a list in chunks. Throws if not all of its rows are users. */
export async function sendList(http: Pool, { query, headers, body }: Kind, rows: number): Promise<void> {
  const answer = await http.request({
    method: 'POST',
    path: `/v1/audiences/upload?name=upload${query}`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv', ...headers },
    body: Readable.from(chunksOf(body)),
  });
  const text = await answer.body.text();
  const { users, rejected } = uploaded.parse(JSON.parse(text));
  if (users !== rows || rejected !== 0) throw new Error(`of ${rows} rows, ${users} are in the list: ${text}`);
}
