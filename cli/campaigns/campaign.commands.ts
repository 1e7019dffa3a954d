import pLimit from 'p-limit';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import {
  changeBudgets,
  changeCampaign,
  cloneCampaign,
  createCampaign,
  estimateCampaign,
  getCampaign,
  getRunProgress,
  listBudgets,
  listCampaigns,
  listRuns,
  previewCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import type { Campaign } from '../../sdk/generated/types.gen.ts';
import { campaignChoices } from '../../shared/domain/run/campaign-standing.ts';
import { runKinds } from '../../shared/domain/run/run-kinds.ts';
import { noteNext, writeData } from '../frame/command-context.ts';
import { apiOf, byHand, command, group, viewOf } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { oneOf, pages, text, usually, whole, widerLimit } from '../frame/options.ts';
import { revisionCommands } from '../revisions/revision-commands.ts';
import { controlVerbs } from '../runs/control-commands.ts';
import { report, runColumns } from '../runs/figures-commands.ts';
import { retryFailed } from '../runs/retry-failed.ts';
import { failures } from '../runs/user-commands.ts';
import { watchCampaign } from '../runs/watch-campaign.ts';
import { tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { budgetsOf } from './budget-texts.ts';
import { aboutPatchOf } from './about-fields.ts';
import { archiveCommands } from './archive-commands.ts';
import { aboutOptions, definitionOptions } from './definition-options.ts';
import { optionLabel, readChanges, readDefinition } from './definition.ts';
import { budgetColumns } from '../show/budget-columns.ts';
import { draftText, metadataTexts, renderCampaign, renderCampaigns, warningsOf } from './render.ts';
import { start } from './start.ts';
import { withSaved } from './take-saved.ts';
import { renderEstimate, renderPreview } from '../show/render-estimate.ts';

/** Maximum concurrent requests for the progress of listed campaigns. */
const maxConcurrentRequests = 10;
const maxRuns = 5;

/**
 * Returns the command-line option that sets a field. Returns the JSON pointer instead if the definition is in a file.
 */
const labelOf = (pointer: string, { options: { file } }: { options: { file?: string } }) =>
  file === undefined ? optionLabel(pointer) : pointer;

const create = command({
  name: 'create',
  description: 'create a campaign from a file or from options; prints its id',
  options: definitionOptions,
  ask: async ({ client, options, context: { input } }) =>
    createCampaign({
      client,
      body: await withSaved(await readDefinition(options, input), options.savedAudience, client),
    }),
  refused: 'not created',
  labelOf,
  render: ({ id }) => `${id}\n`,
  hint: (campaign) => [...warningsOf(campaign), `${draftText(campaign)}: muster campaign start ${campaign.id}`],
});

const change = command({
  name: 'change',
  args: ['<campaign>'],
  description: 'replace the definition of a draft, from a file or from options',
  options: definitionOptions,
  ask: async ({ client, args: [id], options, context: { input } }) =>
    changeCampaign({
      client,
      path: { id },
      body: await withSaved(await readDefinition(options, input), options.savedAudience, client),
    }),
  refused: 'not changed',
  labelOf,
  render: ({ id, state, revision }) => `${id} ${state}, revision ${revision}\n`,
  hint: warningsOf,
});

const clone = command({
  name: 'clone',
  args: ['<campaign>'],
  description: 'create a draft as a copy of the newest revision; a file or options replace fields; prints its id',
  options: definitionOptions,
  ask: async ({ client, args: [id], options, context: { input } }) =>
    cloneCampaign({
      client,
      path: { id },
      body: await withSaved(await readChanges(options, input), options.savedAudience, client),
    }),
  refused: 'not copied',
  labelOf,
  render: ({ id }) => `${id}\n`,
  hint: (campaign) => [...warningsOf(campaign), `${draftText(campaign)}: muster campaign start ${campaign.id}`],
});

const describe = command({
  name: 'describe',
  args: ['<campaign>'],
  description: "change description, owner, tags and metadata, in any state; '' removes a value",
  options: aboutOptions,
  ask: ({ client, args: [id], options }) => changeCampaign({ client, path: { id }, body: aboutPatchOf(options) }),
  refused: 'not changed',
  labelOf: optionLabel,
  render: ({ id, description, owner, tags = [], metadata = {} }) =>
    [
      id,
      ...(owner === undefined ? [] : [`owner ${owner}`]),
      ...tags.map((tag) => `#${tag}`),
      ...metadataTexts(metadata),
      ...(description === undefined ? [] : [oneLine(description)]),
    ].join(' · ') + '\n',
});

/** Exits with an error if the definition has problems, so that scripts can check it before creating a campaign. */
const preview = command({
  name: 'preview',
  description: 'check a definition, and estimate users and duration; creates nothing',
  options: definitionOptions,
  ask: async ({ client, options, context: { input } }) =>
    previewCampaign({
      client,
      body: await withSaved(await readDefinition(options, input), options.savedAudience, client),
    }),
  refused: 'not looked at',
  labelOf,
  render: (seen, view, call) => renderPreview(seen, (pointer) => labelOf(pointer, call), view),
  code: ({ problems }) => (problems.length === 0 ? exitCodes.ok : exitCodes.refused),
});

const list = byHand({
  name: 'list',
  description: 'list campaigns, newest first; archived ones only with --state archived',
  options: {
    ...pages(20),
    q: text('--search <text>', 'part of the name, beginnings of words of the description, or cmp_…'),
    tag: text('--tag <tag>', 'only campaigns with it'),
    owner: text('--owner <name>', 'only of this campaign'),
    metadata: text('--metadata <key=value>', 'only campaigns with it'),
    state: oneOf('--state <state>', 'only those', campaignChoices),
    sort: oneOf('--sort <order>', 'state: what needs attention first; next: what starts next', [
      'newest',
      'state',
      'next',
      'name',
    ]),
  },
  run: async ({ options: query, context }) => {
    const client = await apiOf(context);
    const { data } = await listCampaigns({ client, query });
    const limited = pLimit(maxConcurrentRequests);
    const runs = context.json
      ? []
      : await Promise.all(data.items.map((each) => limited(() => latestProgress(each, client))));
    writeData(context, data, () => renderCampaigns(data.items, runs, viewOf(context)));
    noteNext(data, context);
    return exitCodes.ok;
  },
});

/** Returns undefined if there is no run or its progress is unavailable, so that the list is shown anyway. */
async function latestProgress({ links }: Campaign, client: Client) {
  const id = links.latestRun?.split('/').at(-1);
  if (id === undefined) return undefined;
  return await getRunProgress({ client, path: { id } }).then(
    ({ data }) => data,
    () => undefined,
  );
}

const show = byHand({
  name: 'show',
  args: ['<campaign>'],
  description: 'show a campaign and its newest runs',
  run: async ({ args: [id], context }) => {
    const client = await apiOf(context);
    const { data } = await getCampaign({ client, path: { id } });
    const query = { campaignId: data.id, limit: maxRuns };
    const runs = context.json ? [] : (await listRuns({ client, query })).data.items;
    writeData(context, data, () => renderCampaign(data, runs, viewOf(context)));
    return exitCodes.ok;
  },
});

const estimate = command({
  name: 'estimate',
  args: ['<campaign>'],
  description: 'estimate the users of each part of the audience, by country',
  ask: ({ client, args: [id] }) => estimateCampaign({ client, path: { id } }),
  refused: 'not estimated',
  render: renderEstimate,
});

const budget = command({
  name: 'budget',
  args: ['<campaign>', '[budgets...]'],
  description: 'show budgets and spending by country; SG=2000 or SG=5000EUR changes a budget, also during runs',
  ask: ({ client, args: [id, texts] }) => {
    const budgets = budgetsOf(texts);
    if (budgets.length === 0) return listBudgets({ client, path: { id } });
    return changeBudgets({ client, path: { id }, body: { budgets } });
  },
  refused: 'not changed',
  render: tableOf('no budgets: nothing is limited', budgetColumns),
});

const watch = byHand({
  name: 'watch',
  args: ['<campaign|run>'],
  description: 'follow a run until it ends',
  run: ({ args: [id], context }) => watchCampaign(id, context),
});

const runs = command({
  name: 'runs',
  args: ['<campaign>'],
  description: 'list the runs of a campaign, newest first',
  options: {
    limit: whole('--limit <n>', 'number of items', 20),
    kind: usually('--kind <kind>', 'kind of the runs', { among: runKinds, usual: 'live' }),
  },
  ask: async ({ client, args: [id], options: { limit, kind } }) => {
    // Reports an error if the campaign does not exist.
    await getCampaign({ client, path: { id } });
    return listRuns({ client, query: { campaignId: id, limit, kind } });
  },
  render: tableOf('no run yet', runColumns),
  more: widerLimit,
});

const named = '<campaign|run>';

export const heading: Heading = 'Campaigns';

export const commands = group('campaign', 'campaigns and their runs', [
  ...[create, clone, change, describe, preview, list, show, start, ...controlVerbs(named), estimate, budget, watch],
  ...revisionCommands('campaign'),
  ...archiveCommands,
  ...[report(named), runs, failures(named), retryFailed(named)],
]);
