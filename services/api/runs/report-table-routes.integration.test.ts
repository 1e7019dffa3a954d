import { beforeEach, describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { runReport } from '../../../shared/contracts/runs/runs.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { reportColumns, reportLine } from './report-table.ts';

const on = apiOnPostgres();
let id: string;

beforeEach(async () => {
  const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
  const run = { campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' } as const;
  const runId = await on.deps.rows.addRun(run);
  await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 100 });
  await on.deps.rows.addFeed(runId, { country: 'ID', fedUsers: 20 });
  id = publicId('run', runId);
});

const get = (path: string, accept = 'application/json') =>
  on.api.server.inject({ method: 'GET', url: `/v1/runs/${path}`, headers: { ...authorized, accept } });

describe('a report as a table', () => {
  it('has the lines of the report: each step over all countries, then by country', async () => {
    const report = runReport.parse((await get(`${id}/report`)).json());
    const { items, next } = pageShape(reportLine).parse((await get(`${id}/report/table`)).json());

    const places = items.map(({ step, country }) => [step, country]);
    const countries = report.countries.map(({ country }) => country);
    expect(countries).toHaveLength(2);
    expect(places).toEqual(report.steps.flatMap(({ step }) => [null, ...countries].map((country) => [step, country])));
    const audiences = items.filter(({ step }) => step === 1).map(({ audience }) => audience);
    expect(audiences.toSorted((a, b) => b - a)).toEqual([120, 100, 20]);
    for (const line of items) {
      const { step, action, country, variant: _, runId, audience, ...ended } = line;
      expect([runId, action]).toEqual([id, report.steps[step - 1]?.action]);
      expect(
        Object.values(ended).reduce((sum, users) => sum + users, 0),
        `${step} ${country}`,
      ).toBe(audience);
    }
    expect(next).toBeNull();
  });

  it('has a line of each step for each variant, over all countries', async () => {
    const variants = [
      { name: 'short', weight: 7500 },
      { name: 'long', weight: 2500 },
    ];
    const chain = [{ action: 'award-reward', variants }, { action: 'send-message' }];
    const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse({ ...someCampaign, chain }));
    const run = { campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' } as const;
    const runId = await on.deps.rows.addRun(run);
    for (const [country, variant, fedUsers] of [
      ['SG', 1, 70],
      ['SG', 2, 30],
      ['ID', 1, 8],
      ['ID', 2, 2],
    ] as const)
      await on.deps.rows.addFeed(runId, { country, variant, fedUsers });
    const { items } = pageShape(reportLine).parse((await get(`${publicId('run', runId)}/report/table`)).json());
    expect(items.map(({ step, country, variant, audience }) => [step, country, variant, audience])).toEqual([
      [1, null, null, 110],
      [1, 'ID', null, 10],
      [1, 'SG', null, 100],
      [1, null, 'short', 78],
      [1, null, 'long', 32],
      [2, null, null, 110],
      [2, 'ID', null, 10],
      [2, 'SG', null, 100],
      [2, null, 'short', 78],
      [2, null, 'long', 32],
    ]);
  });

  it('is available as CSV and lines of JSON, with every number of a line', async () => {
    const { items } = pageShape(reportLine).parse((await get(`${id}/report/table`)).json());
    const [first] = items;

    const csv = await get(`${id}/report/table`, 'text/csv');
    const [head, line] = csv.body.split('\r\n');
    expect(csv.headers['content-disposition']).toBe(`attachment; filename="${id}-report.csv"`);
    expect(head).toBe(reportColumns.join(','));
    expect(reportColumns.toSorted()).toEqual(Object.keys(first ?? {}).toSorted());
    expect(line).toBe([id, 1, first?.action, '', '', 120, 0, 0, 0, 0, 0, 0, 0, 0, 120].join(','));
    const lines = (await get(`${id}/report/table`, 'application/x-ndjson')).body.trimEnd().split('\n');
    expect(lines.map((text): unknown => JSON.parse(text))).toEqual(items);
  });

  it('answers 404 for an unknown run', async () => {
    expect((await get(`${publicId('run', on.key)}/report/table`)).statusCode).toBe(404);
  });
});
