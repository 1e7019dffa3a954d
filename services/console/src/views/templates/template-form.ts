import * as z from 'zod/mini';
import type { Template, TemplateDefinitionInput } from '#client/types.gen.ts';

type Variables = Template['variables'];
type Variable = Variables[string];

export const variableTypes = ['string', 'integer', 'number', 'boolean', 'date-time', 'segment'] as const;
type VariableType = (typeof variableTypes)[number];

/** A template as it is typed. */
export interface TemplateForm {
  name: string;
  variables: readonly VariableForm[];
  /** As JSON. */
  campaign: string;
}

export interface VariableForm {
  /** Stays with it while it is called otherwise. */
  key: string;
  name: string;
  type: VariableType;
  description: string;
  /** What it is where none is given; empty: one has to be given. */
  usual: string;
  /** What it has to be one of, one a line; empty: anything. */
  oneOf: string;
  /** Bounds, which have no field here: they stay. */
  bounds: Omit<Variable, 'type' | 'description' | 'default' | 'enum'>;
}

export function formOfTemplate({ name, variables = {}, campaign }: TemplateDefinitionInput): TemplateForm {
  return {
    name,
    variables: Object.entries(variables).map(([of, variable], index) => {
      const { type, description = '', default: usual, enum: values = [], ...bounds } = variable;
      return {
        ...{ key: `variable-${index + 1}`, name: of, type, description, bounds },
        ...{ usual: usual === undefined ? '' : textOf(usual), oneOf: values.map(textOf).join('\n') },
      };
    }),
    campaign: JSON.stringify(campaign, null, 2),
  };
}

export function newVariable(variables: readonly VariableForm[]): VariableForm {
  const taken = variables.map(({ key }) => Number(key.replace('variable-', '')) || 0);
  const key = `variable-${Math.max(0, ...taken) + 1}`;
  return { key, name: '', type: 'string', description: '', usual: '', oneOf: '', bounds: {} };
}

/**
 * The definition that it says; what is right is for the API to say.
 *
 * @throws {SyntaxError} where the campaign is no JSON
 */
export function templateOf({ name, variables, campaign }: TemplateForm): TemplateDefinitionInput {
  const body = z.parse(z.custom<TemplateDefinitionInput['campaign']>(), JSON.parse(campaign));
  return {
    name,
    variables: Object.fromEntries(variables.map((each) => [each.name, variableOf(each)])),
    campaign: body,
  };
}

/** A variable that is called as one before it would take its place. */
export function repeatedName(variables: readonly VariableForm[]): string | null {
  const names = variables.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}

function variableOf({ type, description, usual, oneOf, bounds }: VariableForm): Variable {
  const values = oneOf
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    ...{ type, ...bounds },
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(usual !== '' && { default: valueOf(type, usual) }),
    ...(values.length > 0 && { enum: values.map((value) => valueOf(type, value)) }),
  };
}

/** What is no value of its type goes as a text: the API says what would be right. */
function valueOf(type: VariableType, text: string): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
