import { z } from 'zod';
import { calendar } from '../../../shared/contracts/campaigns/calendar.ts';
import { instant } from '../../../shared/contracts/instants.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { CampaignCalendar } from '../campaigns/parts.ts';
import { campaignsInScope } from '../access/scopes.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { RunWatch } from '../runs/watch-run.ts';
import { calendarItems, campaignsAtMost, capacitiesOf } from './calendar-view.ts';

export interface CalendarRoutesDeps {
  campaignCalendar: CampaignCalendar;
  catalogue: CatalogueReader;
  watch: RunWatch;
  clock: Clock;
}

const longestDays = 8;
const dayMs = 86_400_000;
const watchedAtMost = 200;

const query = z.strictObject({
  from: instant,
  until: instant.describe(`${longestDays} days after \`from\` at most`),
  country: z.string().max(20).optional(),
  action: z.string().max(200).optional().describe('Action type of any step of the chain'),
  owner: z.string().max(200).optional(),
});

export function calendarRoutes(server: HttpServer, deps: CalendarRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/calendar',
    config: {
      role: 'viewer',
      scope: 'campaign',
      refusals: { 'invalid-span': `\`until\` is not later than \`from\`, or is more than ${longestDays} days later` },
    },
    schema: {
      operationId: 'getCalendar',
      summary: 'List runs and scheduled starts of campaigns in a period, including those that wait for an approval',
      description:
        `At most ${longestDays} days and ${campaignsAtMost} campaigns. A future run is expected to take as long as ` +
        'the last run of its campaign, or by its pace; tests and retries are not included.',
      tags: ['campaigns'],
      querystring: query,
      response: { 200: jsonAnswer('The calendar', calendar) },
    },
    handler: async (request) => {
      const { from, until, ...filter } = request.query;
      const time = { from: new Date(from), until: new Date(until), now: deps.clock.now() };
      requireSpan(time.from, time.until);
      const limit = campaignsAtMost * 3;
      const [found, fastest, { actionTypes }] = await Promise.all([
        deps.campaignCalendar.between(time.from, time.until, { limit: limit + 1, within: campaignsInScope(request) }),
        deps.campaignCalendar.fastest(),
        deps.catalogue.refresh(),
      ]);
      const goingOn = found.runs.filter(({ state }) => !isTerminal(state)).slice(-watchedAtMost);
      const open = await deps.watch.lookAll(goingOn.map(({ runId }) => runId));
      const { items, isCut } = calendarItems(found, open, time);
      const isEndless = [found.runs, found.starts, found.recurring].some((each) => each.length > limit);
      return {
        asOf: time.now.toISOString(),
        from: time.from.toISOString(),
        until: time.until.toISOString(),
        items: items.filter((item) => fits(item, filter)),
        isCut: isCut || isEndless,
        capacities: capacitiesOf(actionTypes, fastest),
      };
    },
  });
}

function fits(
  item: { countries: readonly string[]; actions: readonly string[]; owner: string | null },
  { country, action, owner }: Pick<z.infer<typeof query>, 'country' | 'action' | 'owner'>,
): boolean {
  return (
    (country === undefined || item.countries.includes(country)) &&
    (action === undefined || item.actions.includes(action)) &&
    (owner === undefined || item.owner === owner)
  );
}

function requireSpan(from: Date, until: Date): void {
  const days = (until.getTime() - from.getTime()) / dayMs;
  if (days > 0 && days <= longestDays) return;
  const detail = days > 0 ? `is more than ${longestDays} days after from` : 'has to be after from';
  throw invalidRequest([{ pointer: '/until', code: 'invalid-span', detail }]);
}
