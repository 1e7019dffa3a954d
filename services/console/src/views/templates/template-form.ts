import * as z from 'zod/mini';
import type { Template, TemplateDefinitionInput } from '#client/types.gen.ts';

type Variables = Template['variables'];
type Variable = Variables[string];

export const variableTypes = ['string', 'integer', 'number', 'boolean', 'date-time', 'segment'] as const;
type VariableType = (typeof variableTypes)[number];

export interface TemplateForm {
  name: string;
  variables: readonly VariableForm[];
  campaign: string;
}

export interface VariableForm {
  /** React key of the variable. It does not change when the variable is renamed. */
  key: string;
  name: string;
  type: VariableType;
  description: string;
  /** Default value. Empty means that the variable is required. */
  defaultText: string;
  /** Permitted values, one per line. Empty means any value. */
  oneOf: string;
  /** Limits for which there is no field: they stay unchanged. */
  bounds: Omit<Variable, 'type' | 'description' | 'default' | 'enum'>;
}

export function formOfTemplate({ name, variables = {}, campaign }: TemplateDefinitionInput): TemplateForm {
  return {
    name,
    variables: Object.entries(variables).map(([of, variable], index) => {
      const { type, description = '', default: defaultText, enum: values = [], ...bounds } = variable;
      return {
        key: `variable-${index + 1}`,
        name: of,
        type,
        description,
        bounds,
        defaultText: defaultText === undefined ? '' : textOf(defaultText),
        oneOf: values.map(textOf).join('\n'),
      };
    }),
    campaign: JSON.stringify(campaign, null, 2),
  };
}

export function createVariable(variables: readonly VariableForm[]): VariableForm {
  const taken = variables.map(({ key }) => Number(key.replace('variable-', '')) || 0);
  const key = `variable-${Math.max(0, ...taken) + 1}`;
  return { key, name: '', type: 'string', description: '', defaultText: '', oneOf: '', bounds: {} };
}

/** Converts the form into a definition, which the API validates. @throws {SyntaxError} if the campaign is not JSON */
export function templateOf({ name, variables, campaign }: TemplateForm): TemplateDefinitionInput {
  const body = z.parse(z.custom<TemplateDefinitionInput['campaign']>(), JSON.parse(campaign));
  return {
    name,
    variables: Object.fromEntries(variables.map((each) => [each.name, variableOf(each)])),
    campaign: body,
  };
}

/** Returns a name that two variables share, because the second would replace the first; null if there is none. */
export function repeatedName(variables: readonly VariableForm[]): string | null {
  const names = variables.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}

function variableOf({ type, description, defaultText, oneOf, bounds }: VariableForm): Variable {
  const values = oneOf
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    type,
    ...bounds,
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(defaultText !== '' && { default: valueOf(type, defaultText) }),
    ...(values.length > 0 && { enum: values.map((value) => valueOf(type, value)) }),
  };
}

/** Parses a value. A text that is not of the type is sent as text, and the API reports the expected type. */
function valueOf(type: VariableType, text: string): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
