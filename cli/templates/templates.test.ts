import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { campaign } from '../campaigns/sample-campaign.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], sitting: Sitting = {}) => runMuster(['template', ...args], { api, ...sitting });
const ok = (body: unknown) => ({ status: 200, body });

const written = {
  name: 'Payday',
  variables: { segment: { type: 'segment', description: 'Who gets it' }, units: { type: 'integer', default: 2 } },
  campaign: { countries: ['SG'], deadlineSeconds: { $variable: 'units' } },
};
const problems = 'the request has problems';
const at = '2026-11-21T08:00:00.000Z';
const payday = { ...written, id: 'tpl_1', revision: 3, createdAt: at, updatedAt: at, links: {} };

test('muster templates create sends a file and prints problems with their pointers', async () => {
  api.answers['POST /v1/templates'] = { status: 201, body: payday };
  expect((await muster(['create', '-f', '-'], { piped: JSON.stringify(written) })).out).toBe('tpl_1\n');
  expect(api.bodies).toEqual([written]);
  const errors = [{ pointer: '/variables/units/default', detail: 'has to be a whole number, not "two"' }];
  api.answers['POST /v1/templates'] = { status: 422, body: { title: 'x', status: 422, detail: problems, errors } };
  const { code, notes } = await muster(['create', '-f', '-'], { piped: '{"name":"x"}' });
  expect([code, notes]).toEqual([
    exitCodes.refused,
    'not created:\n  /variables/units/default  has to be a whole number, not "two"\n',
  ]);
});

test('muster templates list, show and change print the template', async () => {
  api.answers['GET /v1/templates?limit=20&q=pay'] = ok({ items: [payday], next: null });
  const { out } = await muster(['list', '--search', 'pay']);
  expect(out.split('\n').some((line) => /tpl_1 +Payday +3 +segment units +2026-11-21 08:00 UTC/.test(line))).toBe(true);
  api.answers['GET /v1/templates/tpl_1'] = ok(payday);
  expect(`\n${(await muster(['show', 'tpl_1'])).out}`).toMatchInlineSnapshot(`
    "
      Payday
      tpl_1 · revision 3

      variables  segment (segment): Who gets it
                 units (integer, 2 where none is given)
      campaign   countries ["SG"]
                 deadlineSeconds {"$variable":"units"}
      changed    2026-11-21 08:00 UTC
    "
  `);
  api.answers['PATCH /v1/templates/tpl_1'] = ok({ ...payday, revision: 4 });
  expect((await muster(['change', 'tpl_1', '-f', '-'], { piped: '{"name":"b"}' })).out).toBe('tpl_1 revision 4\n');
});

test('muster templates use creates a campaign and keeps the types of the values', async () => {
  api.answers['POST /v1/templates/tpl_1/campaigns'] = { status: 201, body: { ...campaign, id: 'cmp_2' } };
  const { out, notes } = await muster(['use', 'tpl_1', '--name', 'March', 'segment=riders', 'units=5']);
  expect([out, notes]).toEqual(['cmp_2\n', 'a draft; to start it now: muster campaign start cmp_2\n']);
  await muster(['use', 'tpl_1', '--name', 'April', '--revision', '2']);
  expect(api.bodies).toEqual([
    { name: 'March', variables: { segment: 'riders', units: 5 } },
    { name: 'April', variables: {}, revision: 2 },
  ]);
});

test('muster templates use names the variable whose value was refused', async () => {
  const errors = [{ pointer: '/variables/units', detail: 'has to be at most 5, not 6' }];
  const body = { title: 'x', status: 422, detail: problems, errors };
  api.answers['POST /v1/templates/tpl_1/campaigns'] = { status: 422, body };
  const { notes } = await muster(['use', 'tpl_1', '--name', 'March', 'units=6']);
  expect(notes).toBe('not created:\n  units  has to be at most 5, not 6\n');
});

test.each([
  ['y\n', true],
  ['\n', false],
])('muster templates delete removes the template only if the user confirms: answer %j', async (typed, goes) => {
  api.answers['GET /v1/templates/tpl_1'] = ok(payday);
  api.answers['DELETE /v1/templates/tpl_1'] = ok('');
  const { out, notes } = await muster(['delete', 'tpl_1'], { typed });
  expect(notes).toContain('Payday, revision 3, for good. Delete it? y/N');
  expect(out).toBe(goes ? 'tpl_1 deleted\n' : '');
});
