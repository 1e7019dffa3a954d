import { expect, test } from 'vitest';
import { z } from 'zod';
import { quarantineKinds } from '../../../shared/contracts/quarantine/items.ts';
import { apiDocument } from '../api-document.ts';

test('each kind of quarantined item in the contract, and no other kind, has routes for a list, groups, items and decisions', async () => {
  const { paths } = z.object({ paths: z.record(z.string(), z.unknown()) }).parse(await apiDocument());
  const byKind = Object.keys(paths).flatMap((path) => {
    const [, kinds, rest] = /^\/v1\/quarantine\/(?!counts)(\w+)((?:\/groups|\/\{id\}.*)?)$/.exec(path) ?? [];
    return kinds === undefined ? [] : [`${kinds}${rest ?? ''}`];
  });
  const expected = quarantineKinds.flatMap((kind) =>
    ['', '/groups', '/{id}', '/{id}/replay', '/{id}/discard'].map((rest) => `${kind}s${rest}`),
  );
  expect(byKind.toSorted()).toEqual(expected.toSorted());
});
