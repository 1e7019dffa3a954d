import { z } from 'zod';
import {
  changeSavedAudience,
  createSavedAudience,
  deleteSavedAudience,
  estimateSavedAudience,
  getSavedAudience,
  listSavedAudiences,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  SavedAudience,
  SavedAudienceDefinitionInput,
  SavedAudiencePatchInput,
} from '../../sdk/generated/types.gen.ts';
import { audienceOf, includesAnybody, saysAudience } from '../campaigns/audience-options.ts';
import { definitionOptions } from '../campaigns/definition-options.ts';
import { optionLabel } from '../campaigns/definition.ts';
import { renderEstimate } from '../show/render-estimate.ts';
import { entryText } from '../show/sources.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { pages, text, type ValuesOf } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { deleteCommand } from '../revisions/delete-command.ts';
import { revisionCommands } from '../revisions/revision-commands.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const {
  segment,
  list: oneList,
  run,
  excludeSegment,
  excludeList,
  excludeRun,
  holdOut,
  holdOutSeed,
} = definitionOptions;

const fields = {
  name: text('--name <text>', 'what people know it by'),
  description: text('--description <text>', 'what it is for'),
  owner: text('--owner <name>', 'the team or the person to ask about it'),
  countries: text('--countries <list>', 'where it is estimated: country codes, such as SG,ID,VN'),
  segment,
  list: oneList,
  run,
  excludeSegment,
  excludeList,
  excludeRun,
  holdOut,
  holdOutSeed,
};

const create = command({
  name: 'create',
  description: 'save a combination of sources under a name; prints its id',
  options: fields,
  ask: ({ client, options }) => {
    if (options.name === undefined || options.countries === undefined || !includesAnybody(options))
      throw new UsageError('--name, --countries and --segment (or --list, --run) are needed');
    return createSavedAudience({ client, body: z.custom<SavedAudienceDefinitionInput>().parse(fieldsOf(options)) });
  },
  refused: 'not saved',
  labelOf: optionLabel,
  render: ({ id }) => `${id}\n`,
  hint: ({ id, warnings }) => [
    ...warnings.map(({ detail }) => `! ${detail}`),
    `muster campaign create --saved-audience ${id} …`,
  ],
});

const change = command({
  name: 'change',
  args: ['<saved audience>'],
  description:
    'what options say takes the place of what was, its sources as a whole; campaigns that took it stay as they are',
  options: fields,
  ask: ({ client, args: [id], options }) =>
    changeSavedAudience({ client, path: { id }, body: z.custom<SavedAudiencePatchInput>().parse(fieldsOf(options)) }),
  refused: 'not changed',
  labelOf: optionLabel,
  render: ({ id, revision }) => `${id} revision ${revision}\n`,
  hint: ({ warnings }) => warnings.map(({ detail }) => `! ${detail}`),
});

const list = command({
  name: 'list',
  description: 'combinations of sources that were saved, newest first',
  options: {
    ...pages(20),
    q: text('--search <text>', 'part of the name'),
    list: text('--list <aud_…>', 'those that take this list in or leave it out'),
    segment: text('--segment <id>', 'those that do so with this segment'),
  },
  ask: ({ client, options: query }) => listSavedAudiences({ client, query }),
  render: tableOf<SavedAudience>('', [
    left('id', ({ id }) => id),
    cut('name', ({ name }) => name),
    right('revision', ({ revision }) => revision),
    cut('of', ({ audience }) => audience.include.map(entryText).join(', ')),
    cut('countries', ({ countries }) => countries.join(' ')),
    right('used by', ({ usedBy }) => usedBy),
    left('changed', ({ updatedAt }) => utcTime(updatedAt)),
  ]),
});

const show = command({
  name: 'show',
  args: ['<saved audience>'],
  description: 'who is in it, and which campaigns took it',
  ask: ({ client, args: [id] }) => getSavedAudience({ client, path: { id } }),
  render: renderSaved,
});

const estimate = command({
  name: 'estimate',
  args: ['<saved audience>'],
  description: 'how many users each of its sources has now, and what follows; audience count counts exactly',
  ask: ({ client, args: [id] }) => estimateSavedAudience({ client, path: { id } }),
  render: renderEstimate,
});

const remove = deleteCommand({
  arg: '<saved audience>',
  description: 'delete it for good; campaigns that took it keep their sources. Asks first where a person can answer',
  get: getSavedAudience,
  remove: deleteSavedAudience,
});

export const heading: Heading = 'Audiences';

export const commands = group(
  'saved-audience',
  'combinations of sources with a name, which campaigns take by copying them',
  [...[create, change, list, show, estimate], ...revisionCommands('savedAudience'), remove],
);

function fieldsOf({ name, description, owner, countries, ...who }: ValuesOf<typeof fields>): object {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(owner !== undefined && { owner }),
    ...(countries !== undefined && { countries: countries.split(',').map((code) => code.trim()) }),
    ...(saysAudience(who) && { audience: audienceOf(who) }),
  };
}

function renderSaved(saved: SavedAudience, view: View): string {
  const { id, name, revision, description, owner, countries, audience, usedBy, latestUse, updatedAt } = saved;
  const { include, exclude = [], holdOutPercent = 0 } = audience;
  const latest = latestUse === null ? '' : `, the newest ${latestUse.name} (${latestUse.campaignId})`;
  return renderFacts(
    { name, facts: [id, `revision ${revision}`] },
    [
      ['about', description ?? null],
      ['owner', owner ?? null],
      ['who', include.map(entryText)],
      ['without', exclude.map(entryText)],
      ['held out', holdOutPercent === 0 ? null : `${holdOutPercent} % of them`],
      ['where', countries.join(', ')],
      ['used by', `${usedBy} campaigns${latest}`],
      ['changed', utcTime(updatedAt)],
    ],
    view,
  );
}
