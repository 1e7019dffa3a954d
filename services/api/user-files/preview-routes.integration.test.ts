import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { userFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { teamsOn } from '../../../test/support/teams-on-postgres.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();
const { makeManager } = teamsOn(on);

async function send(payload: string | Buffer, query = '', headers: Record<string, string> = authorized) {
  return await on.api.server.inject({
    method: 'POST',
    url: `/v1/user-files/preview${query}`,
    headers: { ...headers, 'content-type': 'text/csv' },
    payload,
  });
}

async function previewed(...parameters: Parameters<typeof send>) {
  const response = await send(...parameters);
  expect(response.statusCode).toBe(200);
  return userFilePreview.parse(response.json());
}

async function refused(...parameters: Parameters<typeof send>) {
  return problem.parse((await send(...parameters)).json());
}

describe('POST /v1/user-files/preview', () => {
  it('describes a file in the same way as an upload with the same parameters', async () => {
    const file = 'customer;market\nu-1;SG\nu-2;Vietnam\nNULL;SG\n';
    const query = 'user=customer&country=market&acceptRejected=1';
    const answer = await previewed(gzipSync(file), `?${query}`);
    const upload = await on.api.server.inject({
      method: 'POST',
      url: `/v1/audiences/upload?name=VIP&${query}`,
      headers: { ...authorized, 'content-type': 'text/csv' },
      payload: file,
    });
    expect(upload.json()).toMatchObject({ reading: answer.reading, users: 2, rows: 3, rejected: 1 });
    expect(answer).toMatchObject({ format: 'gzip', users: 2, rows: 3, rejected: 1, refusal: null });
  });

  it('stores nothing, whether or not an upload would accept the file, and adds no entry to the audit log', async () => {
    await previewed('userId\nu-1\n', '?country=SG');
    await previewed('userId\nNULL\n', '?country=SG');
    await previewed('userId\nu-1\n', '?countries=none');
    for (const table of ['audiences', 'audience_parts', 'suppression_uploads', 'suppressed_people', 'audit_log'])
      expect([table, await on.rowsOf(table)]).toEqual([table, []]);
  });

  it('refuses a country that is not configured, and refuses a country for users without countries', async () => {
    expect((await refused('userId\nu-1\n', '?country=XX')).errors).toMatchObject([{ code: 'unknown-country' }]);
    const both = await refused('userId\nu-1\n', '?countries=none&country=SG');
    expect(both.errors).toMatchObject([{ pointer: '/country', code: 'no-countries' }]);
  });

  it('rejects rows with countries outside the scope of the key', async () => {
    const { secret } = await makeManager();
    const bearer = { authorization: `Bearer ${secret}` };
    const answer = await previewed('userId,country\nu-1,SG\nu-2,ID\n', '?acceptRejected=1', bearer);
    expect(answer).toMatchObject({ users: 1, rejects: [{ line: 3, rule: 'unknown-country' }], refusal: null });
    expect(await refused('userId\nu-1\n', '?country=ID', bearer)).toMatchObject({ status: 403 });
  });

  it('refuses a file that is not CSV', async () => {
    expect(await refused('%PDF-1.7\n')).toMatchObject({ status: 422, code: 'unreadable-file' });
  });
});
