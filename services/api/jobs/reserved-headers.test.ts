import { describe, expect, it } from 'vitest';
import { newJob } from '../../../shared/contracts/jobs/jobs.ts';
import { newSchedule, schedulePatch } from '../../../shared/contracts/schedules/schedules.ts';
import { operationsOf, readDocument, type Operation } from '../../../test/support/fuzz/operations.ts';
import { isFields, type JsonValue } from '../../../test/support/fuzz/json.ts';
import { apiDocument } from '../api-document.ts';

const document = readDocument(await apiDocument());
const url = 'https://shop.example.com/hook';

/** Returns true if a schema has a field `headers` at any depth. */
function namesHeaders(schema: JsonValue, seen: ReadonlySet<string> = new Set()): boolean {
  if (Array.isArray(schema)) return schema.some((each) => namesHeaders(each, seen));
  if (!isFields(schema)) return false;
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const component = document.components.schemas[ref.replace('#/components/schemas/', '')];
    return !seen.has(ref) && component !== undefined && namesHeaders(component, new Set([...seen, ref]));
  }
  const { properties } = schema;
  if (properties !== undefined && isFields(properties) && properties['headers'] !== undefined) return true;
  return Object.values(schema).some((each) => namesHeaders(each, seen));
}

const withHeaders = operationsOf(document)
  .filter(({ requestBody }) => namesHeaders(requestBody?.content['application/json']?.schema ?? null))
  .map((operation) => ({ name: `${operation.method} ${operation.path}`, operation }));

const shapes = {
  'a job': (headers: object) => newJob.safeParse({ client: 'shop', url, headers }),
  'a schedule': (headers: object) =>
    newSchedule.safeParse({
      name: 'nightly',
      cron: '0 3 * * *',
      zone: 'UTC',
      target: { client: 'shop', url, headers },
    }),
  'a patch of a schedule': (headers: object) => schedulePatch.safeParse({ target: { client: 'shop', url, headers } }),
} as const;

const names = [
  ...['muster-report', 'muster-report-token', 'muster-mode', 'muster-attempt', 'Muster-Repeats', 'MUSTER-x'],
  ...['webhook-signature', 'Host'],
];

describe.each(Object.entries(shapes))('the body of %s', (_, parse) => {
  it.each(names)('is refused with the header %s, and the problem contains the name of the header', (name) => {
    const issues = parse({ 'x-team': 'growth', [name]: 'v' }).error?.issues ?? [];
    expect(issues.map(({ path, message }) => [path.at(-1), message.includes(JSON.stringify(name))])).toEqual([
      [name, true],
    ]);
  });

  it('is accepted with other headers', () => {
    expect(parse({ 'x-muster-team': 'growth', musterable: 'yes' }).success).toBe(true);
  });
});

describe('an operation whose body has a field `headers`', () => {
  it('is in the document', () => {
    const found = withHeaders.map(({ name }) => name);
    const known = ['POST /v1/jobs', 'POST /v1/jobs/bulk', 'POST /v1/schedules', 'PATCH /v1/schedules/{id}'];
    expect(found).toEqual(expect.arrayContaining(known));
  });

  it.each(withHeaders)('declares the refusal of reserved headers: $name', ({ operation }: { operation: Operation }) => {
    expect(operation['x-refusals']).toHaveProperty('reserved-header', expect.stringContaining('muster-*'));
  });
});
