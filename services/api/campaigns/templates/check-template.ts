import type { ParamsSchema } from '../../../../shared/contracts/endpoints/action-type-config.ts';
import type { Catalogue } from '../../../../shared/contracts/endpoints/engine-config.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import {
  templateDefinition,
  type TemplateDefinition,
  type TemplateVariable,
} from '../../../../shared/contracts/campaigns/templates.ts';
import { paramsSchemaProblems } from '../../../../shared/domain/endpoint/params-schema.ts';
import {
  filled,
  placesOfVariables,
  variableAt,
  type VariablePlace,
} from '../../../../shared/domain/template-variables.ts';
import { compileParamsSchema, paramsProblems } from '../../action-types/check-params.ts';
import { checkCampaign } from '../check-campaign.ts';
import { quoted } from '../../frame/http-problem.ts';
import { checkShape, type CheckResult } from '../../frame/server/check-shape.ts';
import { pointerOf } from '../../frame/server/json-pointer.ts';

type Variables = TemplateDefinition['variables'];

/** Checks a template as far as this is possible without values of its variables, and returns all problems. */
export function checkTemplate(body: unknown, config: Catalogue, now: Date): CheckResult<TemplateDefinition> {
  const shaped = checkShape(templateDefinition, body);
  if (!shaped.ok) return shaped;
  const { variables, campaign } = shaped.value;
  const places = placesOfVariables(campaign);
  const problems = [...declarationProblems(variables), ...useProblems(variables, places)];
  if (problems.length === 0) problems.push(...literalProblems(shaped.value, places, config, now));
  return problems.length === 0 ? shaped : { ok: false, problems, more: 0 };
}

/**
 * Checks the values of variables.
 * @returns problems, with pointers such as `/variables/<name>`
 */
export function valueProblems(variables: Variables, values: unknown): FieldProblem[] {
  return paramsProblems(schemaOf(variables), values, '/variables');
}

/** Returns the JSON Schema of the values of all variables. Variables without a default are required. */
function schemaOf(variables: Variables): ParamsSchema {
  const entries = Object.entries(variables);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, variable]) => [name, propertyOf(variable)])),
    required: entries.filter(([, variable]) => variable.default === undefined).map(([name]) => name),
    additionalProperties: false,
  };
}

function propertyOf({ type, ...rest }: TemplateVariable): ParamsSchema {
  switch (type) {
    case 'date-time':
      return { type: 'string', format: 'date-time', ...rest };
    case 'segment':
      return { type: 'string', minLength: 1, maxLength: 200, ...rest };
    default:
      return { type, ...rest };
  }
}

function declarationProblems(variables: Variables): FieldProblem[] {
  const schema = schemaOf(variables);
  const problems = paramsSchemaProblems(schema).map(({ path, message }) => {
    const [, ...below] = path;
    return { pointer: `/variables${pointerOf(below)}`, code: 'unusable-schema', detail: message };
  });
  if (problems.length > 0) return problems;
  try {
    compileParamsSchema(schema);
  } catch (error) {
    const detail = `cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    return [{ pointer: '/variables', code: 'unusable-schema', detail }];
  }
  return valueProblems(variables, Object.fromEntries(defaultsOf(variables)))
    .filter(({ code }) => code !== 'missing')
    .map((problem) => ({ ...problem, pointer: `${problem.pointer}/default` }));
}

function useProblems(variables: Variables, places: readonly VariablePlace[]): FieldProblem[] {
  const declared = Object.keys(variables);
  const used = new Set(places.map(({ name }) => name));
  return [
    ...places.flatMap(({ pointer, name }): FieldProblem[] => {
      if (name !== undefined && declared.includes(name)) return [];
      const detail =
        name === undefined
          ? 'has to be { "$variable": "<name>" } and nothing beside it'
          : `${quoted(name)} is not a variable of the template; ${declared.length === 0 ? 'it has none' : `it has ${declared.join(', ')}`}`;
      return [{ pointer: `/campaign${pointer}`, code: 'unknown-variable', detail }];
    }),
    ...declared
      .filter((name) => !used.has(name))
      .map((name) => ({
        pointer: `/variables/${name}`,
        code: 'unused-variable',
        detail: `is not used in the campaign: use it as { "$variable": ${quoted(name)} }`,
      })),
  ];
}

/**
 * Fields whose rules depend on other fields, by field. If one of these other fields is a variable, the field is checked
 * only when the variable has a value.
 */
const dependencies: ReadonlyMap<string, readonly string[]> = new Map([
  ['schedule', ['schedule', 'countries']],
  ['budgets', ['budgets', 'countries', 'chain']],
]);

/** Checks the fixed parts of a template, with defaults or samples as values of its variables. */
function literalProblems(
  { name, variables, campaign }: TemplateDefinition,
  places: readonly VariablePlace[],
  config: Catalogue,
  now: Date,
): FieldProblem[] {
  const samples = new Map(Object.entries(variables).map(([each, variable]) => [each, sampleOf(variable, now)]));
  const checked = checkCampaign({ ...asObject(filled(campaign, samples)), name }, config, now);
  if (checked.ok) return [];
  const varied = new Set(places.map(({ pointer }) => fieldOf(pointer)));
  const isDecided = ({ pointer }: FieldProblem) =>
    variableAt(pointer, places) === undefined &&
    !(dependencies.get(fieldOf(pointer)) ?? []).some((field) => varied.has(field));
  return checked.problems.filter(isDecided).map((problem) => ({ ...problem, pointer: `/campaign${problem.pointer}` }));
}

function fieldOf(pointer: string): string {
  return pointer.split('/')[1] ?? '';
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function sampleOf({ type, default: usual, enum: among, minimum }: TemplateVariable, now: Date): unknown {
  if (usual !== undefined) return usual;
  if (among !== undefined) return among[0];
  switch (type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 1;
    case 'date-time':
      return new Date(now.getTime() + 86_400_000).toISOString();
    default:
      return 'x';
  }
}

export function defaultsOf(
  variables: Variables,
): [name: string, value: Exclude<TemplateVariable['default'], undefined>][] {
  return Object.entries(variables).flatMap(([name, { default: usual }]) =>
    usual === undefined ? [] : [[name, usual]],
  );
}
