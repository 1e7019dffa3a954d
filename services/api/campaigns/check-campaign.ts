import { z } from 'zod';
import { writtenCampaign, type WrittenCampaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import { checkMoney } from './check-money.ts';
import { checkChoice, checkVariants, placedProblems, sentParamsOf } from './check-variants.ts';
import { paramsProblems } from '../action-types/check-params.ts';
import { checkShape, type CheckResult } from '../frame/server/check-shape.ts';
import { quoted } from '../frame/http-problem.ts';
import { didYouMean } from '../frame/did-you-mean.ts';
import { checkSchedule } from '../schedules/check-schedule.ts';

const maxParamsBytes = 64 * 1024;

/** List of at most as many items as the shape of a campaign allows. The shape reports items beyond that number. */
const list = z
  .array(z.unknown())
  .catch([])
  .transform((items) => items.slice(0, 250));

/** Reads as many parts of a body as possible, so that an invalid part does not hide the problems of others. */
const readable = z
  .object({
    countries: list,
    chain: list,
    splitSeed: z.unknown().optional(),
    canary: z.unknown().optional(),
    schedule: z.unknown().optional(),
    budgets: list,
  })
  .catch({ countries: [], chain: [], splitSeed: undefined, canary: undefined, schedule: undefined, budgets: [] });

/** Checks whether a body is a campaign that this installation can carry out, and returns all problems at once. */
export function checkCampaign(body: unknown, config: Catalogue, now: Date): CheckResult<WrittenCampaign> {
  const shaped = checkShape(writtenCampaign, body);
  const { countries, chain, splitSeed, canary, schedule, budgets } = readable.parse(body);
  const problems = [
    ...(shaped.ok ? [] : shaped.problems),
    ...checkAgainstConfig({ countries, chain }, config),
    ...checkVariants(chain, splitSeed),
    ...checkChoice(canary, chain),
    ...chain.flatMap(checkParamsSize),
    ...checkSchedule(schedule, countries, now),
    ...checkBudgets(budgets, countries, chain),
    ...checkMoney(budgets, chain, config),
  ];
  return shaped.ok && problems.length === 0 ? shaped : { ok: false, problems, more: shaped.ok ? 0 : shaped.more };
}

/** Returns problems for countries and actions that are not, or are no longer, configured. */
export function checkAgainstConfig(
  { countries, chain }: { countries: readonly unknown[]; chain: readonly unknown[] },
  config: Catalogue,
): FieldProblem[] {
  return [
    ...countries.flatMap((country, index) => checkCountry(country, index, countries, config)),
    ...chain.flatMap((step, index) => checkAction(step, index, config)),
    ...chain.flatMap((step, index) => checkCheck(step, index, config)),
    ...chain.flatMap((step, index) => checkParams(step, index, config)),
  ];
}

function checkCountry(
  country: unknown,
  index: number,
  all: readonly unknown[],
  config: Catalogue,
): readonly FieldProblem[] {
  if (typeof country !== 'string') return [];
  const pointer = `/countries/${index}`;
  if (!countryPattern.test(country)) {
    const detail = `has to be an ISO 3166-1 alpha-2 code in capitals, such as SG, not ${quoted(country)}${didYouMean(country, config.countries ?? [])}`;
    return [{ pointer, code: 'invalid-country', detail }];
  }
  if (all.indexOf(country) < index) {
    return [{ pointer, code: 'repeated-country', detail: `${quoted(country)} is in the list already` }];
  }
  if (config.countries?.includes(country) ?? true) return [];
  const detail = `${quoted(country)} is not configured; ${listed(config.countries ?? [])}`;
  return [{ pointer, code: 'unknown-country', detail }];
}

function checkAction(step: unknown, index: number, config: Catalogue): readonly FieldProblem[] {
  const named = z.object({ action: z.string().min(1) }).safeParse(step);
  const names = namesOf(config, false);
  if (!named.success || names.includes(named.data.action)) return [];
  if (namesOf(config, true).includes(named.data.action)) {
    const detail = `${quoted(named.data.action)} is a check: name it as the check of a step`;
    return [{ pointer: `/chain/${index}/action`, code: 'not-an-action', detail }];
  }
  const detail = `${quoted(named.data.action)} is not configured; ${listed(names)}${didYouMean(named.data.action, names)}`;
  return [{ pointer: `/chain/${index}/action`, code: 'unknown-action', detail }];
}

/** Returns the names of the action types that may be steps, or of those that may be checks of steps. */
function namesOf({ actionTypes }: Catalogue, checks: boolean): string[] {
  return Object.entries(actionTypes).flatMap(([name, { check }]) => (check === checks ? [name] : []));
}

function checkCheck(step: unknown, index: number, config: Catalogue): readonly FieldProblem[] {
  const named = z.object({ check: z.object({ type: z.string().min(1) }) }).safeParse(step);
  const names = namesOf(config, true);
  if (!named.success || names.includes(named.data.check.type)) return [];
  const { type } = named.data.check;
  const detail = `${quoted(type)} is no check that is configured; ${listed(names)}${didYouMean(type, names)}`;
  return [{ pointer: `/chain/${index}/check/type`, code: 'unknown-check', detail }];
}

const parametrised = z.object({ action: z.string() });
const someParams = z.record(z.string(), z.unknown()).default({});

/**
 * Checks parameters by the schema of their action type, if it has one. Parameters that are not an object are a problem
 * of the shape.
 */
function checkParams(step: unknown, index: number, { actionTypes }: Catalogue): readonly FieldProblem[] {
  const read = parametrised.safeParse(step).data;
  const schema = read && Object.hasOwn(actionTypes, read.action) ? actionTypes[read.action]?.paramsSchema : undefined;
  if (!read || !schema) return [];
  try {
    const found = sentParamsOf(step, index).map((sent) => {
      const { success, data } = someParams.safeParse(sent.params);
      return { sent, problems: success ? paramsProblems(schema, data, sent.pointer) : [] };
    });
    return placedProblems(found);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const detail = `the parameters of ${quoted(read.action)} cannot be checked by this version: ${why}`;
    return [{ pointer: `/chain/${index}/action`, code: 'unreadable-schema', detail }];
  }
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing is' : `configured are ${names.join(', ')}`;
}

/** Bounds the size of parameters, because each batch contains them. */
function checkParamsSize(step: unknown, index: number): readonly FieldProblem[] {
  return sentParamsOf(step, index).flatMap(({ params, pointer }): FieldProblem[] => {
    const bytes = Buffer.byteLength(JSON.stringify(params ?? null));
    if (bytes <= maxParamsBytes) return [];
    const detail = `has to be at most ${maxParamsBytes} bytes of JSON, not ${bytes}`;
    return [{ pointer, code: 'too-large', detail }];
  });
}

function checkBudgets(
  budgets: readonly unknown[],
  countries: readonly unknown[],
  chain: readonly unknown[],
): readonly FieldProblem[] {
  if (budgets.length === 0) return [];
  const named = z.object({ country: z.string() }).catch({ country: '' });
  const ofBudgets = budgets.map((entry) => named.parse(entry).country);
  const problems = ofBudgets.flatMap((country, index): FieldProblem[] => {
    const pointer = `/budgets/${index}/country`;
    if (country === '') return [];
    if (ofBudgets.indexOf(country) < index)
      return [{ pointer, code: 'repeated-country', detail: `${quoted(country)} has a budget already` }];
    if (countries.includes(country)) return [];
    return [{ pointer, code: 'foreign-country', detail: `${quoted(country)} is not a country of the campaign` }];
  });
  const costs = z.object({ unitsPerUser: z.unknown().refine((units) => units !== undefined) });
  if (chain.some((step) => costs.safeParse(step).success)) return problems;
  const detail = 'no step of the chain costs units: set unitsPerUser for the steps that do';
  return [...problems, { pointer: '/budgets', code: 'nothing-costs-units', detail }];
}
