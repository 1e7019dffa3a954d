import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { CampaignDefinitionInput, CampaignPatchInput } from '../../sdk/generated/types.gen.ts';
import { contentOf, parseJson } from '../frame/given.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { Options, ValuesOf } from '../frame/options.ts';
import { aboutOf } from './about-fields.ts';
import { audienceLabel, audienceOf, includesAnybody, saysAudience, saysSources } from './audience-options.ts';
import { budgetsOf } from './budget-texts.ts';
import { plainFields, type definitionOptions } from './definition-options.ts';
import { scheduleLabel, scheduleOf } from './schedule-options.ts';
import { variantLabel, withVariants } from './variant-texts.ts';

export type DefinitionOptions = ValuesOf<typeof definitionOptions>;

/**
 * Reads a definition. Checks only options that are split into parts; the API validates all other values and reports all
 * their errors at once.
 */
export async function readDefinition(options: DefinitionOptions, input: Readable): Promise<CampaignDefinitionInput> {
  return z.custom<CampaignDefinitionInput>().parse(await given(options, input, definitionOf));
}

/** Reads the fields that differ from another campaign, from a file or options. */
export async function readChanges(options: DefinitionOptions, input: Readable): Promise<CampaignPatchInput> {
  return z.custom<CampaignPatchInput>().parse(await given(options, input, changesOf));
}

async function given(
  options: DefinitionOptions,
  input: Readable,
  inOptions: (flags: Omit<DefinitionOptions, 'file'>) => unknown,
): Promise<unknown> {
  const { file, ...flags } = options;
  if (file === undefined) return inOptions(flags);
  if (Object.keys(flags).length > 0) throw new UsageError('give the definition in a file or in options, not in both');
  const content = await contentOf(file, input);
  return parseJson(content, file === '-' ? 'standard input' : file);
}

export function definitionOf(flags: Omit<DefinitionOptions, 'file'>): unknown {
  const { name, countries, action: actions, savedAudience } = flags;
  const saysWho = includesAnybody(flags) || savedAudience !== undefined;
  if (name === undefined || !saysWho || countries === undefined || actions === undefined) {
    throw new UsageError(
      '--name, --segment (or --list, --run, --saved-audience), --countries and at least one --action are needed, or a file with -f',
    );
  }
  return { schedule: { type: 'now' }, ...changesOf(flags) };
}

export function changesOf(flags: Omit<DefinitionOptions, 'file'>): object {
  const { name, countries, action: actions, budget, unitsPerUser = [], variant: variants = [], splitSeed } = flags;
  const schedule = scheduleOf(flags);
  if (flags.savedAudience !== undefined && saysSources(flags))
    throw new UsageError('--saved-audience says who, and goes with no other source');
  if (actions === undefined && unitsPerUser.length > 0) throw new UsageError('--units-per-user goes with --action');
  if (actions === undefined && variants.length > 0) throw new UsageError('--variant goes with --action');
  return {
    ...(name !== undefined && { name }),
    ...(countries !== undefined && { countries: countries.split(',').map((country) => country.trim()) }),
    ...(saysAudience(flags) && { audience: audienceOf(flags) }),
    ...(actions !== undefined && { chain: withVariants(withUnits(actions.map(stepOf), unitsPerUser), variants) }),
    ...(splitSeed !== undefined && { splitSeed }),
    ...(schedule['type'] !== 'now' && { schedule }),
    ...plainFieldsIn(flags),
    ...canaryOf(flags),
    ...aboutOf(flags),
    ...(budget !== undefined && { budgets: budgetsOf(budget) }),
  };
}

function plainFieldsIn(flags: object): object {
  return Object.fromEntries(Object.entries(flags).filter(([field]) => field in plainFields));
}

/** Returns the canary of a definition; empty without the option. The API validates the number. */
export function canaryOf({
  canary,
  canaryChoose,
  canaryMaxFailed,
}: Pick<DefinitionOptions, 'canary' | 'canaryChoose' | 'canaryMaxFailed'>): Pick<CampaignDefinitionInput, 'canary'> {
  if (canary === undefined) {
    if (canaryMaxFailed !== undefined) throw new UsageError('--canary-max-failed goes with --canary');
    if (canaryChoose) throw new UsageError('--canary-choose goes with --canary');
    return {};
  }
  const size = canary.endsWith('%') ? { percent: Number(canary.slice(0, -1)) } : { users: Number(canary) };
  const then = canaryChoose ? { then: 'choose-variant' as const } : {};
  return { canary: { ...size, ...then, ...(canaryMaxFailed !== undefined && { maxFailedPercent: canaryMaxFailed }) } };
}

interface Step {
  action: string;
  params?: unknown;
  unitsPerUser?: number;
}

function stepOf(action: string): Step {
  const equals = action.indexOf('=');
  if (equals < 0) return { action };
  const name = action.slice(0, equals);
  return { action: name, params: parseJson(action.slice(equals + 1), `--action ${name}`) };
}

function withUnits(steps: readonly Step[], texts: readonly string[]): Step[] {
  const units = new Map(
    texts.map((text) => {
      const [, step = '1', number = ''] = /^(?:(\d+)=)?(\d+)$/.exec(text) ?? [];
      if (number === '' || Number(step) < 1 || Number(step) > steps.length)
        throw new UsageError(
          `--units-per-user has to be a number, or <step>=<number> of one of the actions, not ${text}`,
        );
      return [Number(step), Number(number)];
    }),
  );
  return steps.map((step, index) => {
    const unitsPerUser = units.get(index + 1);
    return unitsPerUser === undefined ? step : { ...step, unitsPerUser };
  });
}

const plain: Options = plainFields;

const optionOf: Record<string, string> = {
  name: '--name',
  savedAudience: '--saved-audience',
  countries: '--countries',
  audience: '--segment',
  budgets: '--budget',
  canary: '--canary',
  splitSeed: '--split-seed',
  description: '--description',
  owner: '--owner',
  tags: '--tag',
  metadata: '--metadata',
};

/**
 * Returns the option of a body field: `--countries` for `/countries/0`, `--action 2 /params/units` for
 * `/chain/1/params/units`.
 */
export function optionLabel(pointer: string): string {
  if (pointer.startsWith('/schedule')) return scheduleLabel(pointer);
  const [, field = '', place = '', ...below] = pointer.split('/');
  if (field === 'canary' && place === 'then') return '--canary-choose';
  if (place === 'maxFailedPercent') return '--canary-max-failed';
  if (field === 'audience') return audienceLabel(place, below);
  if (below[0] === 'variants') return variantLabel(Number(place) + 1, below.slice(1));
  if (below[0] === 'unitsPerUser') return `--units-per-user ${Number(place) + 1}`;
  if (field !== 'chain') return optionOf[field] ?? plain[field]?.flags.split(' ')[0] ?? pointer;
  if (place === '') return '--action';
  const inside = below.filter((part) => part !== 'action');
  return [`--action ${Number(place) + 1}`, ...(inside.length === 0 ? [] : [`/${inside.join('/')}`])].join(' ');
}
