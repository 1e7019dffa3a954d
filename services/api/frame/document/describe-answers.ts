import { fieldsOf } from './prune-components.ts';

const header = (description: string, schema: object) => ({ description, schema });

const headers = {
  'X-Request-Id': header('As it was sent, or made up; our logs hold it too', { type: 'string' }),
  Location: header('Path of what was created, if it has one of its own', { type: 'string' }),
  ETag: header('Changes with what is shown', { type: 'string' }),
  'Idempotent-Replayed': header('true: the answer to the first request with this key, and nothing was changed', {
    type: 'string',
    enum: ['true'],
  }),
  'Retry-After': header('Seconds until it is worth asking again', { type: 'integer', minimum: 1 }),
  'X-RateLimit-Limit': header('Requests that the key may make in a minute', { type: 'integer' }),
  'X-RateLimit-Remaining': header('How many of them are left', { type: 'integer' }),
  'X-RateLimit-Reset': header('Seconds until they are all there again', { type: 'integer' }),
};

type HeaderName = keyof typeof headers;

const rateLimits: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Descriptions of statuses that are more precise than their usual names. */
const meanings: Record<string, string> = {
  401: 'No key, or one that is unknown, has expired or was revoked',
  403: 'The key is of a role that may not (`requiredRole` says which may), what is asked is out of its scope, or a session’s request lacks X-CSRF-Token',
  408: 'The body came too slowly or took too long: the detail names the limit',
  409: 'The state forbids it, or a request with the same Idempotency-Key is still being carried out',
  412: 'It has changed since the ETag that If-Match names',
  415: 'The body is of no type that the operation takes',
  422: 'It can be read and not accepted: `errors` has everything that is wrong',
  429: 'Too many requests or streams, or more than a limit allows, which the detail names; Retry-After says when to go on',
  507: 'What is stored of its account, or of the installation, is as much as may be: GET /v1/quotas',
  503: 'The database does not answer, or the service is stopping; it goes away by itself',
};

/** Adds to an OpenAPI document what applies to all routes: headers, general problems, meanings of statuses. */
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

/** Excludes U+0000, which the server refuses in each text of a path or a query. */
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
  const description = 'Any other problem, such as 405, 408, 431 or 500: all have this shape';
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

/** Returns references to headers, for routes whose responses have headers of their own. */
export function referredTo(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
