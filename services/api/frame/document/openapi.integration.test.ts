import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres({ begun: 'once' });

function get(url: string, headers: Record<string, string> = authorized) {
  return on.api.server.inject({ method: 'GET', url, headers });
}

function post(headers: Record<string, string>, body: object = someCampaign) {
  return on.api.server.inject({
    method: 'POST',
    url: '/v1/campaigns',
    headers: { ...authorized, ...headers },
    payload: body,
  });
}

const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()).min(1),
  responses: z.record(
    z.string(),
    z.looseObject({
      description: z.string(),
      // Responses whose status says everything have no content.
      content: z.record(z.string(), z.unknown()).default({}),
      headers: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
const openapi = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

describe('the OpenAPI document', () => {
  it('describes every route with its name, purpose and problems', async () => {
    const { paths } = openapi.parse((await get('/openapi.json', {})).json());

    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([
      'activateRegion',
      'addClientEndpointKey',
      'addReceipts',
      'approveCampaign',
      'archiveCampaign',
      'backfillSchedule',
      'beginExactCount',
      'beginSignIn',
      'cancelExactCount',
      'cancelJob',
      'cancelJobs',
      'cancelRun',
      'changeActionType',
      'changeApiKey',
      'changeAudience',
      'changeBudgets',
      'changeCampaign',
      'changeClient',
      'changeClientEndpoint',
      'changeJobs',
      'changeNotification',
      'changeRun',
      'changeSchedule',
      'changeShard',
      'changeTemplate',
      'cloneCampaign',
      'compareRun',
      'countAudiences',
      'countCampaigns',
      'countJobs',
      'countQuarantined',
      'countTrials',
      'createActionType',
      'createApiKey',
      'createAudience',
      'createCampaign',
      'createCampaignOfTemplate',
      'createClient',
      'createClientEndpoint',
      'createJob',
      'createJobs',
      'createLogInLink',
      'createNotification',
      'createSchedule',
      'createTemplate',
      'deleteActionType',
      'deleteAudience',
      'deleteCampaign',
      'deleteClient',
      'deleteClientEndpoint',
      'deleteGroup',
      'deleteNotification',
      'deleteSchedule',
      'deleteTemplate',
      'deleteWorkCalendar',
      'diffCampaignRevisions',
      'diffSavedAudienceRevisions',
      'diffTemplateRevisions',
      'disableClientEndpoint',
      'disableSchedule',
      'discardQuarantinedJob',
      'discardQuarantinedJobs',
      'discardQuarantinedMessage',
      'discardQuarantinedMessages',
      'discardQuarantinedStep',
      'enableClientEndpoint',
      'enableHost',
      'enableSchedule',
      'estimateCampaign',
      'explainRunUser',
      'find',
      'findJobs',
      'getActionType',
      'getApiKey',
      'getApiKeyCalls',
      'getApproval',
      'getApprovalPolicy',
      'getAudience',
      'getCalendar',
      'getCampaign',
      'getCampaignRevision',
      'getCaps',
      'getClient',
      'getClientEndpoint',
      'getClientForecast',
      'getClientLedger',
      'getClientLoad',
      'getExactCount',
      'getGroup',
      'getHealth',
      'getJob',
      'getJobChange',
      'getNotification',
      'getQuarantinedJob',
      'getQuarantinedMessage',
      'getQuarantinedStep',
      'getQuietHours',
      'getReadiness',
      'getReportTable',
      'getRun',
      'getRunNote',
      'getRunProgress',
      'getRunRates',
      'getRunReport',
      'getSavedAudienceRevision',
      'getSchedule',
      'getScheduler',
      'getSession',
      'getSettlement',
      'getShard',
      'getSharedReport',
      'getSuppressedUser',
      'getSuppressionUpload',
      'getSystem',
      'getTemplate',
      'getTemplateRevision',
      'getWorkCalendar',
      'groupQuarantinedJobs',
      'groupQuarantinedMessages',
      'groupQuarantinedSteps',
      'listActionTypes',
      'listApiKeys',
      'listApprovals',
      'listAudienceRejects',
      'listAudienceUsers',
      'listAudiences',
      'listBudgets',
      'listCampaignRevisions',
      'listCampaigns',
      'listChanges',
      'listClientEndpoints',
      'listClients',
      'listExactCounts',
      'listGroups',
      'listHeldOutUsers',
      'listJobs',
      'listLogInWays',
      'listNotificationDeliveries',
      'listNotifications',
      'listOccurrences',
      'listParameterOptions',
      'listQuarantinedJobs',
      'listQuarantinedMessages',
      'listQuarantinedSteps',
      'listQuotas',
      'listRefusedPeople',
      'listReportLinks',
      'listRunEvents',
      'listRunFailures',
      'listRunReceipts',
      'listRunUsers',
      'listRuns',
      'listSavedAudienceRevisions',
      'listSchedules',
      'listSettlements',
      'listShards',
      'listSuppressionLists',
      'listSuppressionUploads',
      'listTemplateRevisions',
      'listTemplates',
      'listWorkCalendars',
      'logIn',
      'logOut',
      'logOutEverywhere',
      'pauseRun',
      'pauseSchedule',
      'previewAudience',
      'previewCampaign',
      'previewCancel',
      'previewMessage',
      'previewRecurrence',
      'previewSchedule',
      'previewUserFile',
      'putGroup',
      'putWorkCalendar',
      'removeActionTypeSecret',
      'removeClientEndpointAuth',
      'removeClientEndpointKey',
      'replaceActionType',
      'replayNotification',
      'replayQuarantinedJob',
      'replayQuarantinedJobs',
      'replayQuarantinedMessage',
      'replayQuarantinedMessages',
      'replayQuarantinedStep',
      'reportJob',
      'rescheduleJob',
      'rescheduleJobs',
      'resendJobs',
      'restoreCampaignRevision',
      'restoreSavedAudienceRevision',
      'restoreTemplateRevision',
      'resumeRun',
      'resumeSchedule',
      'retryFailedUsers',
      'revokeApiKey',
      'revokeReportLink',
      'rotateApiKey',
      'rotateNotificationSecret',
      'runJobNow',
      'runScheduleNow',
      'sendBackCampaign',
      'setActionTypeSecret',
      'setApprovalPolicy',
      'setCaps',
      'setClientEndpointAuth',
      'setQuietHours',
      'settleRun',
      'shareReport',
      'startCampaign',
      'startTrial',
      'submitCampaign',
      'suppressUsers',
      'switchRegion',
      'testNotification',
      'unarchiveCampaign',
      'unscheduleCampaign',
      'unsuppressUser',
      'uploadAudience',
      'uploadSuppressions',
      'verifyAudit',
      'watchLive',
      'withdrawCampaign',
      'writeRunNote',
    ]);
    for (const { responses } of operations) {
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
      const refusals = Object.entries(responses).filter(([status]) => status.startsWith('4') || status.startsWith('5'));
      expect(refusals.length).toBeGreaterThan(0);
      for (const [, { content }] of refusals) expect(Object.keys(content)).toEqual(['application/problem+json']);
    }
  });

  it('has no reference to a missing component and no unused component', async () => {
    const { body } = await get('/openapi.json', {});
    const { components } = openapi.parse(JSON.parse(body));

    const referred = [...body.matchAll(/"\$ref":"(#\/components\/schemas\/[^"]*)"/g)].map(
      ([, reference]) => reference ?? '',
    );

    const held = Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...new Set(referred)].sort()).toEqual(held.sort());
  });

  it('contains the countries and actions of this installation, and an example that the API accepts', async () => {
    const { components } = openapi.parse((await get('/openapi.json', {})).json());
    const { properties, examples } = z
      .object({
        properties: z.object({
          countries: z.object({ items: z.unknown() }),
          chain: z.object({ items: z.object({ properties: z.object({ action: z.unknown() }) }) }),
        }),
        examples: z.tuple([z.record(z.string(), z.unknown())]),
      })
      .parse(components.schemas['CampaignDefinitionInput']);

    expect(properties.countries.items).toMatchObject({ enum: ['SG', 'ID', 'VN'] });
    expect(properties.chain.items.properties.action).toMatchObject({ enum: ['award-reward', 'send-message'] });
    expect((await post({}, examples[0])).statusCode).toBe(201);
  });

  it('declares patterns for times, zones and cursors', async () => {
    const { body } = await get('/openapi.json', {});
    const patterns = [...body.matchAll(/"pattern":"((?:[^"\\\\]|\\\\.)*)"/g)].map(([, pattern]) =>
      String(JSON.parse(`"${pattern ?? ''}"`)),
    );
    const isStrict = (pattern: string) => !new RegExp(pattern, 'u').test('tomorrow at nine');
    const [time, zone, cursor] = [
      '2027-01-15T09:00:00+08:00',
      'Asia/Ho_Chi_Minh',
      'cmp_01jdyjm7sbfx2v4x0000000000',
    ].map((text) => patterns.filter((pattern) => isStrict(pattern) && new RegExp(pattern, 'u').test(text)));
    expect([time, zone, cursor].map((found) => (found ?? []).length > 0)).toEqual([true, true, true]);
  });

  it('declares the same headers of answers that the API sends', async () => {
    const { components, paths } = openapi.parse((await get('/openapi.json', {})).json());
    const named = (path: string, method: string, status: string) =>
      Object.keys(paths[path]?.[method]?.responses[status]?.headers ?? {}).map((name) => name.toLowerCase());
    const created = await post({ 'idempotency-key': 'k' });
    const again = await post({ 'idempotency-key': 'k' });
    const read = await get(String(created.headers.location));

    expect(named('/v1/campaigns', 'post', '201').sort()).toEqual(
      [
        'x-request-id',
        'location',
        'idempotent-replayed',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
      ].sort(),
    );
    for (const name of named('/v1/campaigns', 'post', '201')) expect(again.headers[name]).toBeDefined();
    expect(named('/v1/campaigns/{id}', 'get', '200')).toContain('etag');
    for (const name of named('/v1/campaigns/{id}', 'get', '200')) expect(read.headers[name]).toBeDefined();
    expect(named('/v1/runs', 'get', '429')).toContain('retry-after');
    const referred = JSON.stringify(paths).match(/#\/components\/headers\/[\w-]+/g) ?? [];
    const held = z.record(z.string(), z.unknown()).parse(components['headers']);
    expect([...new Set(referred)].sort()).toEqual(
      Object.keys(held)
        .map((name) => `#/components/headers/${name}`)
        .sort(),
    );
  });

  it('declares the files that operations accept as bodies', async () => {
    const { paths } = openapi.parse((await get('/openapi.json', {})).json());
    const bodies = z.object({
      requestBody: z.object({ required: z.boolean(), content: z.record(z.string(), z.json()) }),
    });
    const typesOf = (path: string) => {
      const { requestBody } = bodies.parse(paths[path]?.['post']);
      return [requestBody.required, ...Object.keys(requestBody.content)];
    };
    expect(typesOf('/v1/audiences/upload')).toEqual([true, 'text/csv']);
    expect(typesOf('/v1/user-files/preview')).toEqual([true, 'text/csv', 'application/x-ndjson']);
    expect(typesOf('/v1/suppressions/uploads')).toEqual([true, 'text/csv']);
    expect(typesOf('/v1/jobs/bulk')).toEqual([true, 'application/json', 'application/x-ndjson']);
    expect(typesOf('/v1/runs/{id}/settle')).toEqual([true, 'application/json', 'text/csv', 'application/x-ndjson']);
  });

  it('requires a body for exactly the routes that require one', async () => {
    const { paths } = openapi.parse((await get('/openapi.json', {})).json());
    const required = (path: string) => paths[path]?.['post']?.['requestBody'];
    expect(required('/v1/campaigns')).toMatchObject({ required: true });
    for (const path of ['/v1/campaigns/{id}/start', '/v1/runs/{id}/pause'])
      expect(required(path), path).toMatchObject({ required: false });
    expect(JSON.stringify(paths)).not.toContain('x-optional-body');
  });

  it('declares the refusals of bodies for each route that has a body', async () => {
    const { paths } = openapi.parse((await get('/openapi.json', {})).json());
    for (const [path, { get: _reads, ...changes }] of Object.entries(paths)) {
      // The route of receipts has no 422: its answer lists the receipts that it could not read.
      const statuses = path === '/v1/receipts' ? ['400', '413', '415'] : ['400', '413', '415', '422'];
      for (const { responses } of Object.values(changes)) {
        expect([path, ...Object.keys(responses)]).toEqual(expect.arrayContaining(statuses));
      }
    }
    const headers = { ...authorized, 'content-type': 'application/json' };
    const refused = async (payload: string) =>
      (await on.api.server.inject({ method: 'DELETE', url: '/v1/session', headers, payload })).statusCode;
    expect([await refused('{'), await refused('{"a":9007199254740993}')]).toEqual([400, 422]);
  });

  it('declares the problem of an unavailable database and the schema of other problems for each route', async () => {
    const { paths } = openapi.parse((await get('/openapi.json', {})).json());
    for (const [path, methods] of Object.entries(paths)) {
      for (const { responses } of Object.values(methods)) {
        expect(Object.keys(responses)).toContain('default');
        if (path.startsWith('/v1')) expect(Object.keys(responses)).toContain('503');
      }
    }
  });

  it('declares the required role and its refusal for each route', async () => {
    const { paths } = openapi.parse((await get('/openapi.json', {})).json());
    const keyed = Object.entries(paths).filter(([path]) => path.startsWith('/v1'));
    for (const [path, methods] of keyed) {
      for (const [method, { operationId, responses, ...rest }] of Object.entries(methods)) {
        const role = rest['x-required-role'];
        const isOpen = ['logIn', 'listLogInWays', 'beginSignIn', 'getSharedReport', 'reportJob'].includes(operationId);
        if (isOpen) expect(rest['security']).toEqual([]);
        else
          expect([path, role]).toEqual([
            path,
            expect.stringMatching(/^(viewer|scheduler|manager|approver|operator|scheduler or manager)$/),
          ]);
        const reader = path.includes('/api-keys') || path.includes('/refused-people') ? 'operator' : 'viewer';
        if (method === 'get' && !isOpen) expect([path, role]).toEqual([path, reader]);
        expect(Object.keys(responses)).toContain('403');
      }
    }
  });

  it('allows additional fields in answers but not in bodies', async () => {
    const { components } = openapi.parse((await get('/openapi.json', {})).json());

    expect(components.schemas['CampaignDefinitionInput']).toMatchObject({ additionalProperties: false });
    expect(JSON.stringify(components.schemas['RunReport'])).not.toContain('additionalProperties');
  });
});

it.each([
  ['/v1/campaigns/counts?q=a%00b', '/q'],
  ['/v1/quarantine/messages/groups?topic=a%00b', '/topic'],
  ['/v1/action-types/a%00b', '/name'],
  ['/v1/clients/a%00b', '/id'],
])('a NUL character is refused in a path and in a query, with its place: %s', async (url, pointer) => {
  const response = await get(url);
  expect([response.statusCode, response.json()]).toEqual([
    422,
    expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
  ]);
});
