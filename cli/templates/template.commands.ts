import { z } from 'zod';
import {
  changeTemplate,
  createCampaignOfTemplate,
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
} from '../../sdk/generated/sdk.gen.ts';
import type { Template, TemplateDefinitionInput, TemplatePatchInput } from '../../sdk/generated/types.gen.ts';
import { draftText } from '../campaigns/render.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { readFields } from '../frame/given.ts';
import { needed, pages, text, whole } from '../frame/options.ts';
import { deleteCommand } from '../revisions/delete-command.ts';
import { revisionCommands } from '../revisions/revision-commands.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const file = { file: needed('-f, --file <path>', 'the template as JSON; - reads standard input') };
const values = z.record(z.string(), z.json());

const create = command({
  name: 'create',
  description: 'create a template from a file; prints its id',
  options: file,
  ask: async ({ client, options, context: { input } }) => {
    const body = await readFields({ words: [], file: options.file, input }, z.custom<TemplateDefinitionInput>());
    return createTemplate({ client, body });
  },
  refused: 'not created',
  labelOf: (pointer) => pointer,
  render: ({ id }) => `${id}\n`,
});

const change = command({
  name: 'change',
  args: ['<template>'],
  description: 'replace name, variables or campaign of a template by those in a file',
  options: file,
  ask: async ({ client, args: [id], options, context: { input } }) => {
    const body = await readFields({ words: [], file: options.file, input }, z.custom<TemplatePatchInput>());
    return changeTemplate({ client, path: { id }, body });
  },
  refused: 'not changed',
  labelOf: (pointer) => pointer,
  render: ({ id, revision }) => `${id} revision ${revision}\n`,
});

const list = command({
  name: 'list',
  description: 'list templates, newest first',
  options: { ...pages(20), q: text('--search <text>', 'part of the name') },
  ask: ({ client, options: query }) => listTemplates({ client, query }),
  render: tableOf<Template>('', [
    left('id', ({ id }) => id),
    cut('name', ({ name }) => name),
    right('revision', ({ revision }) => revision),
    cut('variables', ({ variables }) => Object.keys(variables).join(' ')),
    left('changed', ({ updatedAt }) => utcTime(updatedAt)),
  ]),
});

const show = command({
  name: 'show',
  args: ['<template>'],
  description: 'show a template: its variables and its campaign',
  ask: ({ client, args: [id] }) => getTemplate({ client, path: { id } }),
  render: ({ id, name, revision, variables, campaign, updatedAt }, view) =>
    renderFacts(
      { name, facts: [id, `revision ${revision}`] },
      [
        ['variables', Object.entries(variables).map(variableText)],
        ['campaign', Object.entries(campaign).map(([field, value]) => `${field} ${JSON.stringify(value)}`)],
        ['changed', utcTime(updatedAt)],
      ],
      view,
    ),
});

const use = command({
  name: 'use',
  args: ['<template>', '[values...]'],
  description: 'create a campaign from a template: variable=value …; prints its id',
  options: {
    name: needed('--name <name>', 'of the campaign'),
    file: text('-f, --file <path>', 'values by variable, as JSON; - reads standard input'),
    revision: whole('--revision <n>', 'revision of the template; by default the newest'),
  },
  ask: async ({ client, args: [id, words], options: { name, file: path, revision }, context: { input } }) => {
    const isGiven = words.length > 0 || path !== undefined;
    const variables = isGiven ? await readFields({ words, file: path, input }, values) : {};
    const body = { name, variables, ...(revision !== undefined && { revision }) };
    return createCampaignOfTemplate({ client, path: { id }, body });
  },
  refused: 'not created',
  labelOf: (pointer) => pointer.replace(/^\/variables\//, ''),
  render: ({ id }) => `${id}\n`,
  hint: (campaign) => [
    ...campaign.warnings.map(({ detail }) => `! ${detail}`),
    `${draftText(campaign)}: muster campaign start ${campaign.id}`,
  ],
});

const remove = deleteCommand({
  arg: '<template>',
  description: 'delete a template with its revisions; requests a confirmation on a terminal',
  get: getTemplate,
  remove: deleteTemplate,
});

export const heading: Heading = 'Campaigns';

export const commands = group('template', 'definitions of campaigns with variables', [
  ...[create, change, list, show, use],
  ...revisionCommands('template'),
  remove,
]);

function variableText([name, { type, description, default: usual }]: [string, Template['variables'][string]]): string {
  const explanation = description === undefined ? '' : `: ${description}`;
  return `${name} (${type}${usual === undefined ? '' : `, ${JSON.stringify(usual)} where none is given`})${explanation}`;
}
