import { beforeEach, expect, it } from 'vitest';
import { heldOutUser } from '../../../../shared/contracts/runs/run-users.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import {
  someBatches,
  startRun,
  type ExecutionSubject,
} from '../../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

let subject: ExecutionSubject;
beforeEach(() => {
  subject = createPostgresExecutionStores(on);
});

const url = (runId: string) => `/v1/runs/${publicId('run', runId)}/held-out`;
const ids = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `h${String(from + index).padStart(5, '0')}`);

/** Creates a run whose feed writes these pages one after the other; each page is the list of its held-out users. */
async function fed(pages: readonly (readonly string[])[]): Promise<{ runId: string; feedId: string }> {
  const { runId, owned } = await startRun(subject);
  const [feed] = owned;
  if (!feed) throw new Error('the run has a feed');
  const { feedId, token } = feed;
  for (const [index, heldOutIds] of pages.entries()) {
    const batches = someBatches(1, 2).map((users) => ({ batchNo: index + 1, users }));
    const skipped = { excluded: 0, heldOut: heldOutIds.length, heldOutIds };
    const place = { cursor: `z${index}`, complete: index === pages.length - 1, staysStalled: false };
    expect(await subject.feeds.writePages({ feedId, token, batches, invalidUsers: [], skipped, ...place })).toBe(true);
  }
  return { runId, feedId };
}

async function listed(runId: string, limit: number): Promise<string[]> {
  const all: string[] = [];
  for (let cursor = ''; ;) {
    const answer = await on.ask('GET', `${url(runId)}?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const { items, next } = pageShape(heldOutUser).parse(answer.json());
    expect(items.length).toBeLessThanOrEqual(limit);
    all.push(...items.map(({ userId, country }) => `${country} ${userId}`));
    if (next === null) return all;
    cursor = next;
  }
}

it('held-out users are listed once each, in the order of their ids, for pages of any size', async () => {
  const { runId } = await fed([ids(3), [], ids(2500, 3), ids(1, 2503)]);
  const all = ids(2504).map((id) => `SG ${id}`);
  expect(await listed(runId, 1000)).toEqual(all);
  expect(await listed(runId, 999)).toEqual(all);
  expect((await on.ask('GET', `${url(runId)}?country=ID`)).json()).toEqual({ items: [], next: null });
});

it('all held-out users can be exported as CSV or NDJSON, with the run in the file name', async () => {
  const { runId } = await fed([['=1+1', ...ids(1200)]]);
  const csv = await on.ask('GET', `${url(runId)}?format=csv`);
  expect(csv.headers['content-disposition']).toBe(`attachment; filename="${publicId('run', runId)}-held-out.csv"`);
  const lines = csv.body.trimEnd().split('\r\n');
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    1202,
    'userId,country,variant',
    "'=1+1,SG,",
    'h01199,SG,',
  ]);
  const headers = { ...authorized, accept: 'application/x-ndjson' };
  const ndjson = await on.api.server.inject({ method: 'GET', url: url(runId), headers });
  const objects = ndjson.body.trimEnd().split('\n');
  expect([objects.length, objects[0]]).toEqual([1201, '{"userId":"=1+1","country":"SG","variant":null}']);
});

it('a held-out id that breaks the rules is stored in escaped form', async () => {
  const { runId } = await fed([['a\u0000b', 'c\nd']]);
  const listedUsers = await listed(runId, 10);
  expect(listedUsers).toHaveLength(2);
  expect(listedUsers.some((id) => id.includes('\u0000') || id.includes('\n'))).toBe(false);
});

it('audience pages without held-out users write no rows, and the list of held-out users is empty', async () => {
  const { runId } = await fed([[], []]);
  expect(await on.rowsOf('held_out_users')).toEqual([]);
  expect((await on.ask('GET', url(runId))).json()).toEqual({ items: [], next: null });
});

it('audience pages written with an outdated token of the feed add no held-out users', async () => {
  const { runId, feedId } = await fed([ids(2)]);
  const late = { feedId, token: -1, batches: [], invalidUsers: [], cursor: 'z', complete: false, staysStalled: false };
  const skipped = { excluded: 0, heldOut: 1, heldOutIds: ['h9'] };
  expect(await subject.feeds.writePages({ ...late, skipped })).toBe(false);
  expect(await listed(runId, 10)).toEqual(['SG h00000', 'SG h00001']);
});

it('the list of held-out users is refused for an unknown run and after its users were deleted', async () => {
  const { runId, feedId } = await fed([ids(2)]);
  await on.pool.query('delete from held_out_users where feed = $1', [feedId]);
  const gone = await on.ask('GET', `${url(runId)}?format=csv`);
  expect(problem.parse(gone.json())).toMatchObject({ status: 409, code: 'users-not-kept' });
  expect((await on.ask('GET', '/v1/runs/run_0190a0000000700080000000000000/held-out')).statusCode).toBe(404);
});
