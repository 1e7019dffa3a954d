import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { guardedRoutes } from '../../../test/support/guarded-routes.ts';
import { reaches, secretOf, teamsAndThings, type Reach } from '../../../test/support/teams-and-things.ts';
import { quarantineCounts } from '../../../shared/contracts/quarantine/items.ts';
import { apiDocument } from '../api-document.ts';

/*
 * Requests every list of the OpenAPI document with a key of each kind of scope. The lists are read from the document,
 * so a new list is tested without a change of this file.
 */

const on = apiOnPostgres({ begun: 'once' });
const teams = teamsAndThings(on);
let things: Readonly<Record<string, string>>;

beforeAll(async () => {
  things = await teams.begin();
});

/** Query parameters that a list requires, or without which its answer is empty. */
const queries: Readonly<Record<string, string>> = {
  'GET /v1/campaigns/calendar': '?from=1969-12-31T00:00:00Z&until=1970-01-02T00:00:00Z',
  'GET /v1/find': '?q=theirs',
  'GET /v1/live': '?campaigns=false',
};

const lists = guardedRoutes(await apiDocument()).filter(({ operation: { method, path }, scope }) => {
  return method === 'GET' && !path.includes('{') && ['campaign', 'users', 'client', 'schedule'].includes(scope);
});

/** By list, the kinds of objects whose ids it returns. Lists that return only figures have no entry. */
const listedKinds: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/campaigns': ['cmp'],
  'GET /v1/campaigns/calendar': ['cmp'],
  'GET /v1/approvals': ['apr'],
  'GET /v1/templates': ['tpl'],
  'GET /v1/runs': ['run'],
  'GET /v1/audiences': ['aud', 'sav'],
  'GET /v1/audiences/exact-counts': ['cnt'],
  'GET /v1/quarantine/steps': ['qst'],
  'GET /v1/find': ['cmp'],
  'GET /v1/clients': ['cli'],
  'GET /v1/jobs': ['job'],
  'GET /v1/quarantine/jobs': ['dead-jobs'],
  'GET /v1/schedules': ['sch'],
};

describe('a list, read with keys of each scope', () => {
  it.each(lists)(
    '$name returns the objects of a team only to keys of that team',
    async ({ name, operation: { path } }) => {
      const kindsListedFor = async (reach: Reach) => {
        const headers = { authorization: `Bearer ${secretOf('operator', reach)}` };
        const url = `${path}${queries[name] ?? ''}`;
        const { body } = await on.api.server.inject({ method: 'GET', url, headers });
        return Object.keys(things).filter((kind) => body.includes(things[kind] ?? 'nothing'));
      };
      for (const reach of ['other', 'empty'] as const) expect(await kindsListedFor(reach), reach).toEqual([]);
      for (const reach of ['own', 'part', 'none'] as const)
        expect(await kindsListedFor(reach), reach).toEqual(expect.arrayContaining([...(listedKinds[name] ?? [])]));
    },
  );

  it('GET /v1/campaigns/counts counts only the campaigns that the key may read', async () => {
    const countFor = async (reach: Reach) => {
      const headers = { authorization: `Bearer ${secretOf('viewer', reach)}` };
      const answer = await on.api.server.inject({ method: 'GET', url: '/v1/campaigns/counts', headers });
      return z.object({ all: z.number() }).parse(answer.json()).all;
    };
    expect(await Promise.all(reaches.map(countFor))).toEqual([1, 1, 0, 0, 1]);
  });

  it('GET /v1/quarantine/counts counts only the steps and jobs that the key may read', async () => {
    const countsFor = async (reach: Reach) => {
      const headers = { authorization: `Bearer ${secretOf('viewer', reach)}` };
      const answer = await on.api.server.inject({ method: 'GET', url: '/v1/quarantine/counts', headers });
      const { message, step, job } = quarantineCounts.parse(answer.json());
      return [message, step, job];
    };
    expect(await Promise.all(reaches.map(countsFor))).toEqual([
      [0, 1, 1],
      [0, 1, 1],
      [0, 0, 0],
      [0, 0, 0],
      [0, 1, 1],
    ]);
  });

  it('GET /v1/quarantine/steps/groups counts only the steps that the key may read', async () => {
    const groupsFor = async (reach: Reach) => {
      const headers = { authorization: `Bearer ${secretOf('viewer', reach)}` };
      const answer = await on.api.server.inject({ method: 'GET', url: '/v1/quarantine/steps/groups', headers });
      return z.object({ items: z.array(z.object({ items: z.number() })) }).parse(answer.json()).items;
    };
    const single = [{ items: 1 }];
    expect(await Promise.all(reaches.map(groupsFor))).toEqual([single, single, [], [], single]);
  });
});
