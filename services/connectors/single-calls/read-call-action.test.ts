import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createProblems } from '../../../shared/runtime/configuration/configuration-error.ts';
import { createEgressGuard } from '../../../shared/runtime/egress/address-guard.ts';
import { callAction } from './call-action.contract.ts';
import { readCallAction } from './read-call-action.ts';

const url = 'https://api.test/v1/messages?to={{user}}';

function read(entry: object, environment: Record<string, string> = {}) {
  const problems = createProblems();
  const guard = createEgressGuard([{ of: 'the rules', rules: [{ host: '*.test' }, { host: 'api.twilio.com' }] }]);
  const terms = { id: 'notify', field: 'actions.notify', databases: ['shop'], environment, guard, problems };
  const settings = readCallAction(callAction.parse(entry), terms);
  return { settings, problems: problems.found ? problems.toError().problems : [] };
}

describe('an action by single calls in the file', () => {
  it('is read with its method, URL, headers and times', () => {
    const entry = {
      call: {
        url,
        headers: { 'X-Country': '{{country}}' },
        headersEnv: { authorization: 'TOKEN' },
        body: { text: '{{params.text}}' },
        idempotencyHeader: 'Idempotency-Key',
      },
      workSeconds: 2,
      keepDays: 40,
    };
    expect(read(entry, { TOKEN: 'Bearer {{x}}' })).toMatchObject({
      problems: [],
      settings: {
        method: 'POST',
        origin: 'https://api.test',
        target: '/v1/messages?to={{user}}',
        headers: [
          ['accept', 'application/json'],
          ['accept-encoding', 'identity'],
          ['content-type', 'application/json'],
          ['X-Country', '{{country}}'],
          ['Idempotency-Key', '{{key}}'],
          ['authorization', 'Bearer {{{{x}}'],
        ],
        usersPerCall: 1,
        recognizesRepeats: false,
        workMs: 2000,
        keepSeconds: 3_456_000,
      },
    });
  });

  it('uses the fields of its preset unless the entry sets them', () => {
    const entry = {
      preset: 'twilio',
      settings: { account: 'AC1', from: '+65 1' },
      users: { database: 'shop', query: 'select user_id, phone from phones where user_id = any(:users)' },
      call: { perSecond: 5 },
    };
    const { settings, problems } = read(entry, { TWILIO_AUTHORIZATION: 'Basic x' });
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      target: '/2010-04-01/Accounts/AC1/Messages.json',
      content: { kind: 'form', fields: { To: '{{attributes.phone}}', From: '+65 1', Body: '{{params.text}}' } },
      perSecond: 5,
    });
    expect(settings?.answers.length).toBeGreaterThan(3);
  });

  it('names each wrong field', () => {
    expect(
      read({
        preset: 'twilio',
        settings: { account: 'AC1' },
        users: { database: 'store', query: 'select user_id from phones where id = :user' },
      }).problems,
    ).toEqual([
      'actions.notify.settings.from is not set: actions.notify.call.form needs it',
      'actions.notify.call.headersEnv.authorization names TWILIO_AUTHORIZATION, which is not set',
      'actions.notify.users.database has to be a name from databases (shop), not "store"',
      'actions.notify.users.query has to select the users in :users',
      'actions.notify.users.query has to name only :users, not ":user"',
    ]);
  });

  it.each([
    [{}, 'url is not set: it has to be a URL such as https://api.example/v1/messages'],
    [{ url: 'ftp://api.test/' }, 'url has to be a URL such as https://api.example/v1/messages, not "ftp://api.test/"'],
    [
      { url: 'https://{{country}}.test/' },
      'url has to be a URL such as https://api.example/v1/messages, not "https://{{country}}.test/"',
    ],
    [
      { url: 'https://other.example/' },
      'url names https://other.example, which may not be called: no rule of the rules names other.example with port 443',
    ],
    [{ url, body: {}, form: {} }, 'form has to be left out if there is a body'],
    [{ url, body: ['{{attributes.phone}}'] }, 'body.0 has "{{attributes.phone}}", which needs a query in users'],
    [
      { url, headers: { to: '{{name}}' } },
      'headers.to has "{{name}}", which names nothing: names are user, key, country, campaign, run, step, params, params.<name>, attributes.<column> and settings.<name>; {{{{ is {{',
    ],
    [
      { url: 'https://api.test', usersPerCall: 2, body: { to: '{{user}}' } },
      'body.to has "{{user}}", which belongs into forEachUser if usersPerCall is more than 1',
    ],
    [
      { url: 'https://api.test', usersPerCall: 2, idempotencyHeader: 'key' },
      'idempotencyHeader has to be left out if usersPerCall is more than 1, not "key"',
    ],
  ])('refuses the call %j', (call, problem) => {
    expect(read({ call }).problems).toContain(`actions.notify.call.${problem}`);
  });

  it('is valid in the example of the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/connectors/single-calls.md'), 'utf8');
    const [, example = ''] = /```json\n("actions": \{\n {2}"send-sms"[\s\S]+?)```/.exec(page) ?? [];
    const { actions } = z
      .object({ actions: z.record(z.string(), z.looseObject({})) })
      .parse(JSON.parse(`{${example}}`));
    expect(Object.keys(actions)).toEqual(['send-sms', 'grant-miles']);
    for (const entry of Object.values(actions)) {
      const environment = { TWILIO_AUTHORIZATION: 'Basic x', MILES_AUTHORIZATION: 'Bearer x' };
      const { problems } = read(entry, environment);
      // The egress rules of this test allow other host names.
      expect(problems.filter((problem) => !problem.includes('may not be called'))).toEqual([]);
    }
  });
});
