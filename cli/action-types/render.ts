import type { ActionType } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { renderFacts } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

/**
 * Renders a line for each field and secret, and the schema of the parameters in a readable form. Unknown fields, which
 * later versions of the API may add, are shown unformatted.
 */
export function renderActionType(type: ActionType, view: View): string {
  const {
    name,
    revision,
    enabled,
    origin,
    createdAt: _,
    updatedAt,
    links: __,
    secrets,
    paramsSchema,
    ...fields
  } = type;
  const source = origin === 'file' ? 'as the engine’s file says' : 'as somebody said through the API';
  const head = [`revision ${revision}`, enabled ? 'enabled' : 'disabled', source, utcTime(updatedAt)];
  const facts = [
    ...Object.entries(fields).map(
      ([field, value]) => [field, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
    ...Object.entries(secrets).map(
      ([secret, { changedAt }]) => [`${secret} secret`, `set ${utcTime(changedAt)}`] as const,
    ),
  ];
  const schema = paramsSchema === undefined ? [] : JSON.stringify(paramsSchema, undefined, 2).split('\n');
  const lines = schema.map((line) => `  ${oneLine(line)}\n`).join('');
  const params = lines === '' ? '' : `\n  ${view.paint.faint('paramsSchema')}\n${lines}`;
  return `${renderFacts({ name, facts: head }, facts, view)}${params}`;
}
