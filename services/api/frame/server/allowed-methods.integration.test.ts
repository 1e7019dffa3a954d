import { describe, expect, it } from 'vitest';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { operationsOf, readDocument } from '../../../../test/support/fuzz/operations.ts';
import { apiDocument } from '../../api-document.ts';

const on = apiOnPostgres({ begun: 'once' });
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const declared = new Map<string, string[]>();
for (const { path, method } of operationsOf(readDocument(await apiDocument()))) {
  declared.set(path, [...(declared.get(path) ?? []), method]);
}

const unsupported = [...declared].flatMap(([path, supported]) =>
  methods.filter((method) => !supported.includes(method)).map((method) => ({ path, method, supported })),
);

describe('a method that the document does not list for a path', () => {
  it.each(unsupported)('gets status 405 and the methods of the document: $method $path', async (each) => {
    const url = each.path.replaceAll(/\{\w+\}/g, 'x');
    const { statusCode, headers } = await on.api.server.inject({ method: each.method, url, headers: authorized });

    const implied = each.supported.includes('GET') ? ['HEAD'] : [];
    expect([statusCode, headers.allow]).toEqual([405, [...each.supported, ...implied].sort().join(', ')]);
  });

  it('gets status 405 for HEAD, even if a similar path with a parameter has GET', async () => {
    const { statusCode, headers } = await on.api.server.inject({
      method: 'HEAD',
      url: '/v1/jobs/find',
      headers: authorized,
    });

    expect([statusCode, headers.allow]).toEqual([405, 'POST']);
  });
});
