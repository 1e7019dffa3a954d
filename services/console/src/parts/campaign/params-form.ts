import type { ActionType } from '#client/types.gen.ts';
import { fieldsOf, type Json } from '../forms/schema-fields.ts';
import {
  initialTexts,
  textsOf,
  valueOfFields,
  valueOfJson,
  wholeValue,
  type FieldTexts,
  type TypedValue,
} from '../forms/schema-values.ts';

export interface ParamsForm {
  texts: FieldTexts;
  /** True if the user edits the parameters as JSON, or the form has no fields for them. */
  asJson: boolean;
}

export type Types = readonly Pick<ActionType, 'name' | 'paramsSchema'>[];

/** Returns parameters as they are typed. */
export function typedParams({ asJson, texts }: ParamsForm, action: string, types: Types): TypedValue {
  const fields = asJson ? null : fieldsOf(schemaOf(action, types));
  return fields === null ? valueOfJson(texts[wholeValue] ?? '') : valueOfFields(fields, texts);
}

/** Converts parameters into a form: into fields if they can express the parameters, otherwise into JSON. */
export function paramsFormOf(params: Readonly<Record<string, Json>>, action: string, types: Types): ParamsForm {
  const fields = fieldsOf(schemaOf(action, types));
  const texts = fields === null ? null : textsOf(fields, params);
  if (texts !== null) return { asJson: false, texts };
  return { asJson: fields !== null, texts: { [wholeValue]: JSON.stringify(params, null, 2) } };
}

/** Returns the parameters of a new step: the defaults of the schema. */
export function newParams(action: string, types: Types): ParamsForm {
  const fields = fieldsOf(schemaOf(action, types));
  return { texts: fields === null ? {} : initialTexts(fields), asJson: false };
}

/** Switches the parameters between fields and JSON. Null if the fields cannot express the JSON. */
export function toggledJson(form: ParamsForm, schema: unknown): ParamsForm | null {
  const fields = fieldsOf(schema);
  if (fields === null) return null;
  if (!form.asJson) {
    const { value } = valueOfFields(fields, form.texts);
    return { asJson: true, texts: { [wholeValue]: JSON.stringify(value, null, 2) } };
  }
  const parsed = valueOfJson(form.texts[wholeValue] ?? '');
  const texts = parsed.problems.length > 0 ? null : textsOf(fields, parsed.value);
  return texts === null ? null : { asJson: false, texts };
}

export function schemaOf(action: string, types: Types): unknown {
  return types.find(({ name }) => name === action)?.paramsSchema;
}
