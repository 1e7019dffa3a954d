import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import packageFacts from '../../package.json' with { type: 'json' };
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from './test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
let environment: NodeJS.ProcessEnv;
beforeEach(async () => {
  api = await startTestApi();
  environment = { MUSTER_API_URL: api.url, MUSTER_API_KEY: 'muster_key' };
});
afterEach(() => api.stop());

const muster = (args: string[]) => runMuster(args, { environment });

describe('the configuration of the API URL and key', () => {
  test.each([
    ['localhost:8080', 'did you mean http://localhost:8080?'],
    ['ftp://muster', 'did you mean http://muster?'],
    ['http://me:geheim@muster', 'must not hold a user'],
  ])('is rejected with an explanation if MUSTER_API_URL=%s', async (url, explanation) => {
    environment['MUSTER_API_URL'] = url;
    const { code, notes } = await muster(['campaign', 'list']);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain(explanation);
    expect(notes).not.toContain('geheim');
  });

  test('is reported as wrong if the server at the URL is not Muster', async () => {
    const body = { error: 'Not Found', message: 'Cannot GET /v1/campaigns' };
    api.answers['GET /v1/campaigns?limit=20'] = { status: 404, body };
    const { code, notes } = await muster(['campaign', 'list']);
    expect(code).toBe(exitCodes.failure);
    expect(notes).toContain('answers, but not as Muster does (404');
    expect(notes).toContain('is MUSTER_API_URL right?');
  });

  test('is reported as wrong if the URL is https but the server speaks no TLS', async () => {
    environment['MUSTER_API_URL'] = api.url.replace('http:', 'https:');
    expect((await muster(['campaign', 'list'])).notes).toContain(`it speaks no TLS; did you mean ${api.url}?`);
  });

  test.each(['geheim\nwort', 'geheim wort', 'gehéim', `geheim${'x'.repeat(600)}`])(
    'is rejected for the malformed key %j, without printing the key',
    async (key) => {
      environment['MUSTER_API_KEY'] = key;
      const { code, notes } = await muster(['campaign', 'list']);
      expect(code).toBe(exitCodes.usage);
      expect(notes).toContain('MUSTER_API_KEY is no key');
      expect(notes).not.toMatch(/geh/);
      expect(api.requests).toEqual([]);
    },
  );

  test('leads, if the API refuses the key, to a message that names who can make a key', async () => {
    const body = { title: 'Unauthorized', status: 401, detail: 'the API key is not known' };
    api.answers['GET /v1/campaigns?limit=20'] = { status: 401, body };
    expect((await muster(['campaign', 'list'])).notes).toContain(
      'whoever runs Muster makes one with `muster first-key <name>`',
    );
  });
});

test.each(['--version', '-V'])('muster %s prints the version', async (option) => {
  expect(await muster([option])).toMatchObject({ code: exitCodes.ok, out: `${packageFacts.version}\n` });
});
