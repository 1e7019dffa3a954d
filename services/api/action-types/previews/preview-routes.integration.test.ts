import { beforeEach, describe, expect, it } from 'vitest';
import { auditRecord } from '../../../../shared/contracts/access/audit.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createApi, type Api } from '../../api.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';
import { messagePreview } from './message-preview.contract.ts';
import type { PreviewAnswer, PreviewRequest } from './preview-source.port.ts';

const on = apiOnPostgres();
const path = '/v1/action-types/send-message';
const body = { user: 'u1', country: 'SG', params: { template: 'congratulations' } };

describe('the preview of a message', () => {
  const requests: PreviewRequest[] = [];
  let answer: PreviewAnswer;
  let api: Api;

  beforeEach(async () => {
    requests.length = 0;
    answer = { kind: 'message', message: { subject: 'Hello Ada', html: '<p>Hello</p>' } };
    const previewSource = {
      fetch: (request: PreviewRequest) => {
        requests.push(request);
        return Promise.resolve(answer);
      },
    };
    api = await createApi({ ...on.deps, previewSource });
    await change({ previewUrl: 'http://messages.test/v1/preview' });
  });

  async function change(fields: object): Promise<void> {
    expect((await on.ask('PATCH', path, fields)).statusCode).toBe(200);
  }

  const ask = (payload: object = body) =>
    api.server.inject({ method: 'POST', url: `${path}/preview`, headers: authorized, payload });

  it('is the message that the endpoint of the action type returns for the user', async () => {
    expect(messagePreview.parse((await ask()).json())).toEqual({
      outcome: 'message',
      message: { from: null, to: null, subject: 'Hello Ada', html: '<p>Hello</p>', text: null },
      cause: null,
    });
    expect(requests.map(({ url, call }) => [url.href, call])).toEqual([
      [
        'http://messages.test/v1/preview',
        { action: { type: 'send-message', params: body.params }, country: 'SG', user: 'u1' },
      ],
    ]);
  });

  it.each(['refused', 'unavailable'] as const)('has the cause of the failure if the answer is %s', async (kind) => {
    answer = { kind, cause: 'no-address' };
    expect((await ask()).json()).toEqual({ outcome: kind, message: null, cause: 'no-address' });
  });

  it('is recorded in the audit log without the user’s id', async () => {
    await ask();
    const [entry] = pageShape(auditRecord).parse((await on.ask('GET', '/v1/audit')).json()).items;
    expect(entry).toMatchObject({
      summary: 'previewed the message of a user',
      subject: 'send-message',
      detail: { country: 'SG' },
    });
    expect(JSON.stringify(entry)).not.toContain('u1');
  });

  it('is requested from the endpoint each time and never stored, even with an Idempotency-Key', async () => {
    const headers = { ...authorized, 'idempotency-key': 'preview-1' };
    const again = () => api.server.inject({ method: 'POST', url: `${path}/preview`, headers, payload: body });
    expect([(await again()).statusCode, (await again()).statusCode]).toEqual([200, 200]);
    expect(requests).toHaveLength(2);
    expect(await on.rowsOf('idempotency_keys')).toEqual([]);
  });

  it('is refused for parameters that violate the schema, without a request to the endpoint', async () => {
    await change({ paramsSchema: { type: 'object', required: ['template'], properties: {} } });
    const refused = await ask({ ...body, params: {} });
    expect([refused.statusCode, problem.parse(refused.json()).errors]).toMatchObject([
      422,
      [{ pointer: '/params/template' }],
    ]);
    expect(requests).toEqual([]);
  });

  it.each([{ user: '' }, { user: 'u1', country: 'sg' }, { ...body, params: [] }, { ...body, more: 1 }])(
    'is refused for the body %j',
    async (wrong) => expect((await ask(wrong)).statusCode).toBe(422),
  );

  it('is refused if the action type does not exist or its endpoint offers no previews', async () => {
    await change({ previewUrl: null });
    const refused = await ask();
    expect([refused.statusCode, problem.parse(refused.json()).code]).toEqual([409, 'no-preview']);
    expect((await on.ask('POST', '/v1/action-types/nothing/preview', body)).statusCode).toBe(404);
    expect(requests).toEqual([]);
  });

  it('is requested over HTTP, and a failure is reported with its cause', async () => {
    await change({ previewUrl: 'http://127.0.0.1:1/v1/preview' });
    expect((await on.ask('POST', `${path}/preview`, body)).json()).toMatchObject({ outcome: 'unavailable' });
  });
});
