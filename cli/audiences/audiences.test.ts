import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

const list = {
  kind: 'list',
  id: 'aud_1',
  name: 'VIP riders',
  owner: 'growth',
  state: 'ready',
  users: 1500,
  countries: [
    { country: 'ID', users: 500 },
    { country: 'SG', users: 1000 },
  ],
  rows: 1510,
  duplicates: 7,
  rejected: 3,
  cause: null,
  usedBy: 2,
  usedBySaved: 1,
  createdAt: '2026-11-21T20:44:20.000Z',
  readyAt: '2026-11-21T20:44:22.000Z',
  expiresAt: '2999-12-21T20:44:20.000Z',
  links: { self: '/v1/audiences/aud_1', rejects: '/v1/audiences/aud_1/rejects' },
};

let api: TestApi;
let folder: string;

beforeEach(async () => {
  api = await startTestApi();
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
});

afterEach(async () => {
  api.stop();
  await rm(folder, { recursive: true });
});

const muster = (args: string[], piped?: string) => runMuster(args, { api, piped });

const ok = (body: unknown, status = 200) => ({ status, body });

describe('muster audience upload', () => {
  beforeEach(() => {
    api.answers['POST /v1/audiences/upload?name=VIP%20riders&country=SG'] = ok(list, 201);
  });

  test('sends the file unchanged, prints the id on stdout and the counts of skipped rows on stderr', async () => {
    const file = join(folder, 'vip.csv');
    await writeFile(file, 'userId\na\nb\n');
    const { code, out, notes } = await muster(['audience', 'upload', file, '--name', 'VIP riders', '--country', 'SG']);
    expect(code).toBe(exitCodes.ok);
    expect(out).toBe('aud_1\n');
    expect(notes).toBe(
      '1,500 users, 7 rows repeat one of them, 3 are no user: muster audience rejects aud_1; deleted on 2999-12-21, ' +
        'unless a campaign or a saved audience keeps it\n',
    );
    expect(api.bodies).toEqual(['userId\na\nb\n']);
    expect(api.requests[0]?.headers).toMatchObject({ 'content-type': 'text/csv' });
    expect(api.requests[0]?.headers['idempotency-key']).toMatch(/^cli-/);
    expect(api.requests[0]?.headers['content-encoding']).toBeUndefined();
  });

  test('sends Content-Encoding: gzip for a .gz file', async () => {
    const file = join(folder, 'vip.csv.gz');
    await writeFile(file, 'packed');
    await muster(['audience', 'upload', file, '--name', 'VIP riders', '--country', 'SG']);
    expect(api.requests[0]?.headers['content-encoding']).toBe('gzip');
  });

  test('prints the detected encoding, separator and columns of the file, with warnings', async () => {
    const reading = {
      encoding: 'utf-16le',
      separator: ';',
      columns: ['plan', 'ref', 'market'],
      userColumn: 'ref',
      countryColumn: 'market',
      trimmed: 2,
      warnings: [{ code: 'rounded-ids', detail: 'Excel has rounded ids' }],
    };
    const query = 'name=VIP&country=market&user=ref&acceptRejected=3';
    api.answers[`POST /v1/audiences/upload?${query}`] = ok({ ...list, reading }, 201);
    const options = ['--country', 'market', '--user-column', 'ref', '--accept-rejected', '3'];
    const { notes } = await muster(['audience', 'upload', '-', '--name', 'VIP', ...options], 'x\n');
    expect(notes.split('\n').slice(1, 3)).toEqual([
      'users from the column ref · countries from market · ignored: plan · separator: semicolon · UTF-16LE · blanks at the edges of 2 ids removed',
      'warning: Excel has rounded ids',
    ]);
  });

  test('reads standard input if the file is -', async () => {
    await muster(['audience', 'upload', '-', '--name', 'VIP riders', '--country', 'SG'], 'x\ny\n');
    expect(api.bodies).toEqual(['x\ny\n']);
  });

  test('names a file that cannot be read, and prints the refusal of the API', async () => {
    const missing = await muster(['audience', 'upload', join(folder, 'none.csv'), '--name', 'VIP']);
    expect(missing.code).toBe(exitCodes.usage);
    expect(missing.notes).toContain('none.csv');
    const detail = 'the file holds no row';
    api.answers['POST /v1/audiences/upload?name=VIP'] = ok(
      { title: 'Unprocessable', status: 422, code: 'no-users', detail },
      422,
    );
    const refused = await muster(['audience', 'upload', '-', '--name', 'VIP'], '\n');
    expect(refused.code).toBe(exitCodes.refused);
    expect(refused.notes).toContain('not uploaded: the file holds no row');
  });
});

const preview = {
  format: 'gzip',
  reading: {
    encoding: 'utf-8',
    separator: ';',
    columns: ['plan', 'ref', 'market'],
    userColumn: 'ref',
    countryColumn: 'market',
    trimmed: 0,
    warnings: [{ code: 'rounded-ids', detail: 'Excel has rounded ids' }],
  },
  columns: [
    { name: 'plan', use: 'ignored' },
    { name: 'ref', use: 'user' },
    { name: 'market', use: 'country' },
  ],
  rows: 1010,
  users: 1000,
  rejected: 10,
  usersElsewhere: 200,
  outcomes: [],
  refusal: null,
  firstUsers: [{ line: 2, userId: 'u-1', country: 'SG' }],
  countries: [{ country: 'SG', users: 800 }],
  rejects: [{ line: 9, value: 'NULL', rule: 'no-value', detail: 'the user id is a mark for a missing value' }],
};

describe('muster audience upload --preview', () => {
  const line = 'POST /v1/user-files/preview?country=market&user=ref';
  const args = ['audience', 'upload', '-', '--name', 'VIP', '--country', 'market', '--user-column', 'ref', '--preview'];

  test('prints how the API would read the file, and stores no list', async () => {
    api.answers[line] = ok(preview);
    const { code, out } = await muster(args, 'plan;ref;market\nx;u-1;SG\n');
    expect(code).toBe(exitCodes.ok);
    expect(out.split('\n')).toEqual([
      '  standard input',
      '  gzip · UTF-8 · separator: semicolon',
      '',
      '  columns         plan: ignored',
      '                  ref: user',
      '                  market: country',
      '  users           1,000  SG 800  others 200',
      '  rows            1,010, of them 10 that are no user',
      '  first users     u-1  SG',
      '  first rejected  line 9: the user id is a mark for a missing value (NULL)',
      '  warnings        Excel has rounded ids',
      '',
    ]);
    expect(api.requests.map((each) => each.line)).toEqual([line]);
    expect(api.bodies).toEqual(['plan;ref;market\nx;u-1;SG\n']);
    expect(JSON.parse((await muster([...args, '--json'], 'x\n')).out)).toEqual(preview);
  });

  test('fails if the upload would be refused, and prints the reason and the columns to choose from', async () => {
    const refusal = { code: 'no-user-column', detail: 'the first line names no column of user ids' };
    const columns = [{ name: 'kunde', use: 'ignored' }];
    const nothing = {
      rows: 0,
      users: 0,
      firstUsers: [],
      countries: [],
      usersElsewhere: 0,
      outcomes: [],
      rejected: 0,
      rejects: [],
    };
    api.answers[line] = ok({ format: 'plain', reading: null, columns, ...nothing, refusal });
    const { code, out } = await muster(args, 'kunde\n');
    expect(code).toBe(exitCodes.refused);
    expect(out.split('\n').slice(1)).toEqual([
      '  not packed',
      '',
      '  columns           kunde: ignored',
      '  would be refused  the first line names no column of user ids',
      '',
    ]);
  });
});

test('muster audience show and rejects print an uploaded list and its rejected rows', async () => {
  api.answers['GET /v1/audiences/aud_1'] = ok(list);
  const items = [{ line: 12, value: 'a b', rule: 'unknown-country' }];
  api.answers['GET /v1/audiences/aud_1/rejects?limit=100'] = ok({ items, next: null });
  const details = (await muster(['audience', 'show', 'aud_1'])).out;
  expect(details).toContain('1,500  ID 500  SG 1,000');
  expect(details).toContain('1,510, of them 7 repeats and 3 that are no user');
  expect(details).toMatch(/owner +growth/);
  expect(details).toMatch(/deleted on +2999-12-21, unless something keeps it/);
  expect((await muster(['audience', 'rejects', 'aud_1'])).out).toMatch(/12 +unknown country +a b/);
  expect(JSON.parse((await muster(['audience', 'show', 'aud_1', '--json'])).out)).toEqual(list);
});

test('muster audience edit changes the name and the owner of a list, or removes the owner', async () => {
  api.answers['PATCH /v1/audiences/aud_1'] = ok({ ...list, name: 'Gold tier' });
  expect((await muster(['audience', 'edit', 'aud_1', '--name', 'Gold tier'])).out).toBe(
    'aud_1 Gold tier · owner growth\n',
  );
  await muster(['audience', 'edit', 'aud_1', '--owner', '']);
  expect(api.bodies).toEqual([{ name: 'Gold tier' }, { owner: null }]);
});

test('muster audience delete confirms the deletion of the list', async () => {
  api.answers['DELETE /v1/audiences/aud_1'] = ok('', 200);
  const { code, out } = await muster(['audience', 'delete', 'aud_1', '-y']);
  expect(code).toBe(exitCodes.ok);
  expect(out).toBe('aud_1 deleted\n');
});

test('muster campaign estimate prints each source and the resulting number of users', async () => {
  api.answers['POST /v1/campaigns/cmp_1/estimate'] = ok({
    campaignId: 'cmp_1',
    asOf: '2026-11-21T20:44:20.000Z',
    countries: [
      {
        country: 'SG',
        include: [
          { source: { segment: 'riders' }, users: 4000 },
          { source: { list: 'aud_1' }, users: null },
        ],
        exclude: [{ source: { runId: 'run_1', outcomes: ['succeeded'], step: 2 }, users: 500 }],
        users: { atLeast: 3500, atMost: null },
      },
    ],
    holdOutPercent: 10,
    warnings: [{ pointer: '/countries/0', code: 'x', detail: 'segment "b" could not be asked for' }],
  });
  const { out } = await muster(['campaign', 'estimate', 'cmp_1']);
  expect(out).toMatch(/SG +segment riders +4,000/);
  expect(out).toMatch(/SG +list aud_1 +not known/);
  expect(out).toMatch(/without succeeded users of run_1, step 2 +500/);
  expect(out).toMatch(/audience +3,500 or more/);
  expect(out).toContain('about 10 % get nothing');
  expect(out).toContain('! segment "b" could not be asked for');
});

const size = { atLeast: 900, atMost: 900, exact: true, asOf: '2026-11-21T20:44:22.000Z', countries: ['SG'] };
const segment = {
  kind: 'segment',
  id: 'staff',
  name: 'staff',
  description: 'Everybody with a contract',
  owner: null,
  countries: null,
  revision: null,
  audience: null,
  state: null,
  size,
  rejected: null,
  usedBy: 9,
  excludedBy: 9,
  latestUse: { campaignId: 'cmp_1', name: 'Payday' },
  usedBySaved: 0,
  latestSaved: null,
  createdAt: null,
  expiresAt: null,
  links: { self: null, campaigns: '' },
};

describe('muster audience list', () => {
  test('prints each kind of audience with its size, when that size was determined, and its use', async () => {
    const audience = { include: [{ segment: 'riders' }], exclude: [{ segment: 'vip' }] };
    const saved = { ...segment, kind: 'saved', id: 'sav_1', name: 'Lapsed', usedBy: 1, latestUse: null, audience };
    const uploaded = { ...segment, kind: 'list', id: 'aud_1', name: 'VIP riders', owner: 'growth', countries: ['SG'] };
    const items = [
      segment,
      { ...saved, size: { ...size, exact: false } },
      { ...saved, size: { ...size, atMost: 1200, exact: false } },
      { ...saved, size: { ...size, atMost: null, exact: false } },
      { ...saved, size: null },
      {
        ...uploaded,
        state: 'ready',
        rejected: 3,
        usedBy: 0,
        usedBySaved: 2,
        latestUse: null,
        latestSaved: { name: 'Lapsed' },
        createdAt: '2026-11-21T20:44:20.000Z',
        expiresAt: '2999-12-21T20:44:20.000Z',
      },
      { ...uploaded, id: 'aud_2', state: 'failed', size: null },
    ];
    const unavailable = 'the segmentation service does not answer: HTTP 503';
    const options = '--kind saved --search rid --used true --country SG --list aud_1'.split(' ');
    api.answers['GET /v1/audiences?limit=20&kind=saved&q=rid&used=true&country=SG&list=aud_1'] = ok({
      items,
      next: null,
      unavailable,
    });
    const { out, notes } = await muster(['audience', 'list', ...options]);
    expect(out).toMatch(/segment +staff +Everybody with a contract +900 +2026-11-21 20:44 UTC +9 +Payday/);
    expect(out).toMatch(/sav_1 +Lapsed +segment riders, without segment vip +about 900 /);
    expect(out).toMatch(/ 900 to 1,200 /);
    expect(out).toMatch(/ 900 or more /);
    expect(out).toMatch(/ not known /);
    expect(out).toMatch(
      /aud_1 +VIP riders +growth +SG .* 900 .* 3 +0 \+ 2 saved +Lapsed +2026-11-21 20:44 UTC +2999-12-21/,
    );
    expect(out).toMatch(/aud_2 .* failed /);
    expect(notes).toContain(`only segments in use: ${unavailable}`);
  });

  test('prints that the segmentation service offers no list if only segments are listed', async () => {
    const body = { items: [segment], next: null, segmentsFrom: 'use', unavailable: null };
    api.answers['GET /v1/audiences?limit=20&kind=segment'] = ok(body);
    expect((await muster(['audience', 'list', '--kind', 'segment'])).notes).toContain('offers no list');
    api.answers['GET /v1/audiences?limit=20'] = ok(body);
    expect((await muster(['audience', 'list'])).notes).toBe('');
  });

  test('warns on stderr about lists that expire within three days', async () => {
    const soon = { ...segment, kind: 'list', id: 'aud_2', expiresAt: '2026-11-22T20:44:20.000Z' };
    const late = { ...soon, id: 'aud_1', expiresAt: '2999-12-21T20:44:20.000Z' };
    const items = [late, soon, { ...soon, expiresAt: null }];
    api.answers['GET /v1/audiences?limit=20&owner=growth'] = ok({ items, next: null, unavailable: null });
    expect((await muster(['audience', 'list', '--owner', 'growth'])).notes).toBe(
      'aud_2 is deleted on 2026-11-22: start a campaign with it, or save an audience of it, to keep it\n',
    );
  });
});
