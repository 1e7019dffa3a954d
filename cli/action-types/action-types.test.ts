import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

const points = {
  name: 'award-points',
  title: 'Give points',
  description: 'Adds points to the balance.',
  revision: 3,
  enabled: true,
  origin: 'api',
  url: 'http://points.test/v1',
  class: 'B',
  batchSize: 100,
  concurrency: 50,
  timeoutMs: 2000,
  secrets: { authorization: { changedAt: '2026-11-22T04:00:00.000Z' } },
  createdAt: '2026-11-22T03:00:00.000Z',
  updatedAt: '2026-11-22T04:00:00.000Z',
};
const path = '/v1/action-types/award-points';

let api: TestApi;
let folder: string;

beforeEach(async () => {
  api = await startTestApi();
  folder = mkdtempSync(join(tmpdir(), 'muster-action-types-'));
});

afterEach(() => {
  api.stop();
  rmSync(folder, { recursive: true });
});

const musterWith = (piped: string, ...args: string[]) => runMuster(args, { api, piped });

const muster = (...args: string[]) => musterWith('', 'action-types', ...args);

function fileWith(content: string): string {
  const file = join(folder, 'file');
  writeFileSync(file, content);
  return file;
}

const lines = () => api.requests.map((request) => request.line);

describe('muster action-types list and show', () => {
  it('list prints one line per action type', async () => {
    const off = { ...points, name: 'send-message', enabled: false };
    api.answers['GET /v1/action-types'] = { status: 200, body: { items: [points, off] } };
    const { code, out } = await muster('list');
    expect(code).toBe(exitCodes.ok);
    expect(out).toMatch(/award-points +Give points +B +http:\/\/points\.test\/v1 +100 +50 +2000 ms +enabled/);
    expect(out).toMatch(/send-message .* disabled/);
  });

  it('show prints the settings of an action type and when its secrets were set', async () => {
    api.answers[`GET ${path}`] = { status: 200, body: points };
    const { out } = await muster('show', 'award-points');
    expect(out).toContain('revision 3 · enabled · as somebody said through the API');
    expect(out).toMatch(/title +Give points/);
    expect(out).toMatch(/description +Adds points to the balance\./);
    expect(out).toMatch(/concurrency +50/);
    expect(out).toMatch(/authorization secret +set 2026-11-22 04:00/);
  });

  it('show prints the parameters schema of an action type', async () => {
    const paramsSchema = { required: ['points'], properties: { points: { type: 'integer' } } };
    api.answers[`GET ${path}`] = { status: 200, body: { ...points, paramsSchema } };
    const { out } = await muster('show', 'award-points');
    expect(out).toContain('paramsSchema\n  {\n    "required": [\n      "points"\n');
  });

  it('show --json prints the response of the API as JSON', async () => {
    api.answers[`GET ${path}`] = { status: 200, body: points };
    const { out } = await musterWith('', '--json', 'action-types', 'show', 'award-points');
    expect(JSON.parse(out)).toEqual(points);
  });

  it('show fails if no action type has the given name', async () => {
    const problem = { title: 'Not Found', status: 404, detail: 'there is no action-type "x"', code: 'x', errors: [] };
    api.answers['GET /v1/action-types/x'] = { status: 404, body: { ...problem, type: 'urn:x', requestId: 'r' } };
    const { code, notes } = await muster('show', 'x');
    expect(code).toBe(exitCodes.refused);
    expect(notes).toContain('there is no action-type "x"');
  });
});

describe('muster action-types create and set', () => {
  it('create sends values that parse as JSON as JSON, and all others as strings', async () => {
    api.answers['POST /v1/action-types'] = { status: 201, body: points };
    const { code, out, notes } = await muster('create', 'award-points', 'url=http://points.test/v1', 'timeoutMs=2000');
    expect(code).toBe(exitCodes.ok);
    expect(api.bodies).toEqual([{ name: 'award-points', url: 'http://points.test/v1', timeoutMs: 2000 }]);
    expect(api.requests[0]?.headers['idempotency-key']).toMatch(/^cli-/);
    expect(out).toBe('award-points revision 3\n');
    expect(notes).toContain('award-points is registered');
  });

  it('set reads fields from a file, and field=value arguments override them', async () => {
    api.answers[`PATCH ${path}`] = { status: 200, body: points };
    const file = fileWith('{"timeoutMs":1000,"class":"B"}');
    await muster('set', 'award-points', 'timeoutMs=null', '--file', file);
    await musterWith('{"concurrency":5}', 'action-types', 'set', 'award-points', '-f', '-');
    expect(api.bodies).toEqual([{ timeoutMs: null, class: 'B' }, { concurrency: 5 }]);
  });

  it('set names each refused field as the user typed it', async () => {
    const errors = [{ pointer: '/retry/firstDelayMs', code: 'out-of-range', detail: 'has to be at least 100, not 1' }];
    const problem = { type: 'urn:x', title: 'x', status: 422, detail: 'the request has problems', code: 'x', errors };
    api.answers[`PATCH ${path}`] = { status: 422, body: { ...problem, requestId: 'r' } };
    const { code, notes } = await muster('set', 'award-points', 'retry={"firstDelayMs":1}');
    expect(code).toBe(exitCodes.refused);
    expect(notes).toContain('retry.firstDelayMs');
    expect(notes).toContain('not changed');
  });

  it.each<[string, string[], string]>([
    ['an empty change', [], 'say what it is to be'],
    ['an argument without field=value', ['fast'], 'fast: has to be field=value'],
    ['a file that does not exist', ['--file', '/nowhere.json'], 'cannot read /nowhere.json'],
  ])('set rejects %s without sending a request', async (_name, args, message) => {
    const { code, notes } = await muster('set', 'award-points', ...args);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain(message);
    expect(lines()).toEqual([]);
  });

  it('set rejects a file that does not hold a JSON object', async () => {
    expect((await muster('set', 'award-points', '-f', fileWith('[1]'))).notes).toContain('has to be an object');
    expect((await muster('set', 'award-points', '-f', fileWith('{'))).notes).toContain('is no JSON');
  });

  it('set sends a new URL together with a secret from a file or standard input', async () => {
    api.answers[`PATCH ${path}`] = { status: 200, body: points };
    const file = fileWith('Bearer 4712\n');
    await muster('set', 'award-points', 'url=http://else.test', '--authorization-file', file);
    await musterWith('whsec_x', 'action-types', 'set', 'award-points', '--signing-file', '-');
    expect(api.bodies).toEqual([
      { url: 'http://else.test', secrets: { authorization: 'Bearer 4712' } },
      { secrets: { signing: 'whsec_x' } },
    ]);
  });
});

describe('muster action-types enable, disable and delete', () => {
  it('enable and disable change the action type and print its new state', async () => {
    api.answers[`PATCH ${path}`] = { status: 200, body: points };
    expect((await muster('disable', 'award-points')).notes).toContain('is disabled: what runs goes on');
    expect((await muster('enable', 'award-points')).notes).toContain('is enabled');
    expect(api.bodies).toEqual([{ enabled: false }, { enabled: true }]);
  });

  it('delete removes the action type, or prints why the API refused', async () => {
    api.answers[`DELETE ${path}`] = { status: 204, body: '' };
    const { code, notes } = await muster('delete', 'award-points');
    expect(code).toBe(exitCodes.ok);
    expect(notes).toBe('award-points is deleted\n');

    const problem = { type: 'urn:x', title: 'Conflict', status: 409, detail: '2 campaigns have it', code: 'x' };
    api.answers[`DELETE ${path}`] = { status: 409, body: { ...problem, errors: [], requestId: 'r' } };
    const refused = await muster('delete', 'award-points');
    expect(refused.code).toBe(exitCodes.refused);
    expect(refused.notes).toContain('2 campaigns have it');
  });
});

describe('muster action-types set-secret and remove-secret', () => {
  it('set-secret reads the secret from a file or standard input, strips its line break and never prints it', async () => {
    api.answers[`PUT ${path}/secrets/authorization`] = { status: 200, body: points };
    const secret = ['set-secret', 'award-points', 'authorization'];
    const { code, out, notes } = await muster(...secret, '--from-file', fileWith('Bearer 4711\r\n'));
    await musterWith('Bearer 4712\n', 'action-types', ...secret, '--from-stdin');
    expect(code).toBe(exitCodes.ok);
    expect(api.bodies).toEqual([{ value: 'Bearer 4711' }, { value: 'Bearer 4712' }]);
    expect(notes).toContain('award-points has a new authorization secret');
    expect(out + notes).not.toContain('4711');
  });

  it('remove-secret deletes the signing secret of an action type', async () => {
    api.answers[`DELETE ${path}/secrets/signing`] = { status: 204, body: '' };
    const { code, notes } = await muster('remove-secret', 'award-points', 'signing');
    expect(code).toBe(exitCodes.ok);
    expect(notes).toContain('award-points has no signing secret');
  });

  it.each<[string, string[], string]>([
    ['no source', ['authorization'], 'say where the secret is'],
    ['two sources', ['authorization', '--from-stdin', '--from-file', 'x'], 'say where the secret is'],
    ['an empty secret', ['authorization', '--from-stdin'], 'there is no secret in it'],
    ['a file that does not exist', ['authorization', '--from-file', '/nowhere'], 'cannot read /nowhere'],
    ['an unknown secret', ['password', '--from-stdin'], 'Allowed choices are authorization, signing'],
    ['the secret as an argument', ['authorization', 'Bearer 4711'], 'a secret is no argument'],
  ])('set-secret rejects %s without sending a request', async (_name, args, message) => {
    const { code, notes } = await muster('set-secret', 'award-points', ...args);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain(message);
    expect(notes).not.toContain('4711');
    expect(lines()).toEqual([]);
  });
});

describe('muster action-types options', () => {
  const ride = { value: 'ride-5', label: 'Ride, 5 off', description: 'Off one ride', countries: ['SG'], usedBy: 3 };
  const unsaid = { value: 7, label: null, description: null, countries: null, usedBy: 0 };
  const line = 'GET /v1/action-types/award-points/options?limit=50&parameter=rewardId&q=rid';
  const ask = async (more: object) => {
    const body = { items: [ride, unsaid], more: false, from: 'endpoint', unavailable: null, ...more };
    api.answers[line] = { status: 200, body };
    return muster('options', 'award-points', 'rewardId', '--search', 'rid');
  };

  it('prints each option with its name, countries and use', async () => {
    const { code, out, notes } = await ask({});
    expect(code).toBe(exitCodes.ok);
    expect(out).toMatch(/ride-5 +Ride, 5 off +SG +3 +Off one ride/);
    expect(out).toMatch(/7 +0/);
    expect(notes).toBe('');
  });

  it('explains why options come from earlier campaigns, and how to find more of them', async () => {
    expect((await ask({ from: 'earlier-campaigns' })).notes).toContain('its schema names no options');
    const unavailable = 'its options could not be loaded: HTTP 503';
    expect((await ask({ from: 'earlier-campaigns', unavailable })).notes).toContain('HTTP 503');
    expect((await ask({ more: true })).notes).toContain('--search finds them');
  });
});

describe('muster action-types preview', () => {
  const line = `POST ${path}/preview`;
  const message = { from: null, to: 'ada@example.com', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi\n\u001b[2JAda' };
  const preview = (...words: string[]) =>
    muster('preview', 'award-points', '--user', 'u1', '--country', 'SG', ...words);

  it('prints the message of one user, for the parameters in its arguments', async () => {
    api.answers[line] = { status: 200, body: { outcome: 'message', message, cause: null } };
    const { code, out } = await preview('points=5', 'offer.id=x');
    expect(code).toBe(exitCodes.ok);
    expect(out).toMatch(/^to: ada@example\.com\nsubject: Hello\n\nHi\n/);
    expect(out).not.toContain('\u001b');
    expect(api.bodies).toEqual([{ user: 'u1', country: 'SG', params: { points: 5, offer: { id: 'x' } } }]);
  });

  it('prints why there is no message', async () => {
    api.answers[line] = { status: 200, body: { outcome: 'refused', message: null, cause: 'no-address' } };
    expect((await preview()).out).toBe('no message: no-address\n');
    api.answers[line] = { status: 200, body: { outcome: 'unavailable', message: null, cause: 'HTTP 503' } };
    expect((await preview()).out).toBe('no preview: HTTP 503\n');
  });
});
