import { z } from 'zod';
import { changeAudience, createAudience } from '../../sdk/generated/sdk.gen.ts';
import type { AudiencePatchInput, SavedAudience, SavedAudienceDefinitionInput } from '../../sdk/generated/types.gen.ts';
import { audienceOf, includesAnybody, saysAudience } from '../campaigns/audience-options.ts';
import { definitionOptions } from '../campaigns/definition-options.ts';
import { optionLabel } from '../campaigns/definition.ts';
import { command } from '../frame/command-table.ts';
import { oneOf, text, type ValuesOf } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { View } from '../show/paint.ts';
import { entryText } from '../show/sources.ts';
import { renderFacts } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const fields = {
  name: text('--name <text>', 'name, for people'),
  description: text('--description <text>', 'purpose, for people'),
  owner: text('--owner <name>', 'team or person to contact'),
  countries: text('--countries <list>', 'countries of the estimate: codes such as SG,ID,VN'),
  segment: definitionOptions.segment,
  list: definitionOptions.list,
  run: definitionOptions.run,
  excludeSegment: definitionOptions.excludeSegment,
  excludeList: definitionOptions.excludeList,
  excludeRun: definitionOptions.excludeRun,
  holdOut: definitionOptions.holdOut,
  holdOutSeed: definitionOptions.holdOutSeed,
};

const save = command({
  name: 'save',
  description: 'save a combination of sources under a name; prints its id',
  options: fields,
  ask: ({ client, options }) => {
    if (options.name === undefined || options.countries === undefined || !includesAnybody(options))
      throw new UsageError('--name, --countries and --segment (or --list, --run) are needed');
    return createAudience({ client, body: z.custom<SavedAudienceDefinitionInput>().parse(fieldsOf(options)) });
  },
  refused: 'not saved',
  labelOf: optionLabel,
  render: ({ id }) => `${id}\n`,
  hint: ({ id, warnings }) => [
    ...warnings.map(({ detail }) => `! ${detail}`),
    `muster campaign create --saved-audience ${id} …`,
  ],
});

const edit = command({
  name: 'edit',
  args: ['<audience>'],
  description:
    "change name, owner or retention of a list, or a saved audience as its next revision; campaigns keep their copies. '' removes an owner or a description",
  options: {
    ...fields,
    keep: oneOf('--keep <yes>', 'true: keep the list, regardless of its age', ['true', 'false']),
  },
  ask: ({ client, args: [id], options }) => {
    const { owner, description, keep } = options;
    const removed = { ...(owner === '' && { owner: null }), ...(description === '' && { description: null }) };
    const body = z
      .custom<AudiencePatchInput>()
      .parse({ ...fieldsOf(options), ...removed, ...(keep && { kept: keep === 'true' }) });
    return changeAudience({ client, path: { id }, body });
  },
  refused: 'not changed',
  labelOf: optionLabel,
  render: (changed) =>
    changed.kind === 'saved'
      ? `${changed.id} revision ${changed.revision}\n`
      : `${changed.id} ${changed.name}${changed.owner === null ? '' : ` · owner ${changed.owner}`}${changed.kept ? ' · kept' : ''}\n`,
  hint: (changed) => (changed.kind === 'saved' ? changed.warnings.map(({ detail }) => `! ${detail}`) : []),
});

export const savedCommands = [save, edit];

function fieldsOf({ name, description, owner, countries, ...who }: ValuesOf<typeof fields>): object {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(owner !== undefined && { owner }),
    ...(countries !== undefined && { countries: countries.split(',').map((code) => code.trim()) }),
    ...(saysAudience(who) && { audience: audienceOf(who) }),
  };
}

export function renderSaved(saved: SavedAudience, view: View): string {
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
