import { fieldsOf } from './prune-components.ts';

const header = (description: string, schema: object) => ({ description, schema });

const headers = {
  'X-Request-Id': header('Request id, from the request or generated; it is also in the server’s logs', {
    type: 'string',
  }),
  Location: header('Path of the created resource, if it has one', { type: 'string' }),
  ETag: header('Changes with the content of the answer', { type: 'string' }),
  'Idempotent-Replayed': header('true: this is the answer to the first request with this key; nothing was changed', {
    type: 'string',
    enum: ['true'],
  }),
  'Retry-After': header('Seconds to wait before the next request', { type: 'integer', minimum: 1 }),
  'X-RateLimit-Limit': header('Requests per minute allowed for the key', { type: 'integer' }),
  'X-RateLimit-Remaining': header('Remaining requests', { type: 'integer' }),
  'X-RateLimit-Reset': header('Seconds until the full number is available again', { type: 'integer' }),
};

type HeaderName = keyof typeof headers;

const rateLimits: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Descriptions of statuses that say more than their standard names. */
const meanings: Record<string, string> = {
  401: 'The API key is missing, unknown, expired or revoked',
  403: 'The role of the key does not allow it (`requiredRole` names the role that does), its scope does not include it, or the request of a session lacks X-CSRF-Token',
  408: 'The body arrived too slowly or took too long; the detail names the limit',
  409: 'The state of the resource does not allow it, or a request with the same Idempotency-Key is still in progress',
  412: 'The resource has changed since the ETag given in If-Match',
  415: 'The operation does not accept the content type of the body',
  422: 'The request is well-formed but invalid; `errors` lists all problems',
  429: 'Too many requests or streams, or another limit that the detail names is exceeded; Retry-After is the time to wait',
  507: 'The account or the installation has reached its storage quota; see GET /v1/quotas',
  503: 'The database does not answer, or the service is stopping; retry later',
};

/** Adds the parts that apply to all routes to an OpenAPI document: headers, general problems, meanings of statuses. */
export function describeAnswers(document: unknown): void {
  const components = fieldsOf(fieldsOf(document)['components']);
  components['headers'] = headers;
  for (const [path, methods] of Object.entries(fieldsOf(fieldsOf(document)['paths']))) {
    for (const [method, operation] of Object.entries(fieldsOf(methods))) {
      const responses = fieldsOf(fieldsOf(operation)['responses']);
      if (path.startsWith('/v1/')) responses['403'] ??= { description: '', content: problemContent };
      refuseNul(fieldsOf(operation)['parameters']);
      describeOperation(path.startsWith('/v1/'), method, responses);
    }
  }
}

/** Excludes U+0000 from the patterns of parameters, because the server refuses it in paths and queries. */
function refuseNul(parameters: unknown): void {
  for (const parameter of Object.values(fieldsOf(parameters)).map(fieldsOf)) {
    const schema = fieldsOf(parameter['schema']);
    const isOpen = schema['type'] === 'string' && !schema['enum'] && !schema['format'];
    if (parameter['in'] !== 'header' && isOpen) schema['pattern'] ??= String.raw`^[^\u0000]*$`;
  }
}

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

function describeOperation(isKeyed: boolean, method: string, responses: Record<string, unknown>): void {
  if (isKeyed) responses['503'] ??= { description: '', content: problemContent };
  for (const [status, response] of Object.entries(responses)) {
    const fields = fieldsOf(response);
    fields['description'] = meanings[status] ?? fields['description'];
    const names = headersOf(isKeyed, method, status);
    fields['headers'] = { ...fieldsOf(fields['headers']), ...referredTo(names) };
  }
  const description = 'Any other problem, such as 405, 408, 431 or 500, in the same shape';
  responses['default'] = { description, content: problemContent, headers: referredTo(['X-Request-Id']) };
}

function headersOf(isKeyed: boolean, method: string, status: string): HeaderName[] {
  const isGood = status.startsWith('2');
  return [
    'X-Request-Id',
    ...(status === '201' ? (['Location'] as const) : []),
    ...(isGood && method === 'post' ? (['Idempotent-Replayed'] as const) : []),
    ...(['409', '429', '503'].includes(status) ? (['Retry-After'] as const) : []),
    ...(isKeyed && status !== '401' ? rateLimits : []),
  ];
}

/** Returns references to headers, for routes whose responses have additional headers. */
export function referredTo(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
