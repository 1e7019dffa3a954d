import { useQuery } from '@tanstack/react-query';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ActionType, Campaign } from '#client/types.gen.ts';
import { formatPlace } from './places.ts';
import { fieldsOf, leavesOf, textOf, type LeafField } from '../forms/schema-fields.ts';
import { otherValues, textsOf } from '../forms/schema-values.ts';
import { useNamedOption } from '../forms/use-options.ts';

type Chain = readonly Pick<Campaign['chain'][number], 'action'>[];

const typesChangeRarely = 60_000;

function useActionTypes(): readonly Pick<ActionType, 'name' | 'paramsSchema'>[] {
  const { data } = useQuery({ ...listActionTypesOptions(), staleTime: typesChangeRarely });
  return data?.items ?? [];
}

/** Parameters of a step under the labels of its form. Shown as JSON if the form has no field for one of them. */
export function Parameters({ action, params, countries }: Campaign['chain'][number] & { countries: string[] }) {
  const schema = useActionTypes().find(({ name }) => name === action)?.paramsSchema;
  if (Object.keys(params).length === 0) return <div className="t3 sm">no parameters</div>;
  const fields = fieldsOf(schema);
  const texts = fields && textsOf(fields, params);
  if (!fields || !texts) return <div className="mono t2 wrap-anywhere">{jsonWords(params)}</div>;
  return (
    <ul className="t2">
      {leavesOf(fields).map((field) => {
        const text = texts[field.pointer];
        return text === undefined ? null : (
          <li key={field.pointer} className="wrap-anywhere">
            {field.label}: <Value {...{ action, field, text, countries }} />
          </li>
        );
      })}
      {texts[otherValues] !== undefined && <li className="mono wrap-anywhere">{texts[otherValues]}</li>}
    </ul>
  );
}

interface ValueProps {
  action: string;
  field: LeafField;
  text: string;
  countries: readonly string[];
}

function Value({ action, field, text, countries }: ValueProps) {
  const parameter = { actionType: action, countries, pointer: field.pointer };
  const { option } = useNamedOption(parameter, field.listedAt === '' ? '' : text);
  const label = option?.label ?? null;
  const name = field.kind === 'choice' ? field.options.find(({ value }) => value === text)?.label : label;
  if (field.kind === 'boolean') return <b className="font-medium text-main">{text === 'true' ? 'yes' : 'no'}</b>;
  return (
    <>
      <b className="font-medium text-main">{name ?? text.replaceAll('\n', ', ')}</b>
      {label !== null && <span className="mono t3"> {text}</span>}
    </>
  );
}

function jsonWords(params: Campaign['chain'][number]['params']): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : textOf(value)}`)
    .join(' · ');
}

/**
 * Returns a function that names the place of a JSON pointer, parameters by the labels of the form: `Step 1, Reward id`.
 */
export function usePlaceNames(chain: Chain): (pointer: string) => string {
  const types = useActionTypes();
  return (pointer) => {
    const [, step, variant, inner] = /^\/chain\/(\d+)(?:\/variants\/(\d+))?\/params(\/.+)$/.exec(pointer) ?? [];
    const action = chain[Number(step)]?.action;
    const fields = fieldsOf(types.find(({ name }) => name === action)?.paramsSchema) ?? [];
    const field = leavesOf(fields).find((leaf) => leaf.pointer === inner);
    if (!field) return formatPlace(pointer);
    const ofVariant = variant === undefined ? '' : `variant ${Number(variant) + 1}, `;
    return `Step ${Number(step) + 1}, ${ofVariant}${field.label}`;
  };
}
