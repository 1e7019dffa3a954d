import type { ActionType, MessagePreview } from '../../sdk/generated/types.gen.ts';
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

/** Renders the parts of a message: its text, or its HTML if it has no text. Without a message, renders the cause. */
export function renderPreview({ outcome, message, cause }: MessagePreview): string {
  if (message === null) return `${outcome === 'refused' ? 'no message' : 'no preview'}: ${oneLine(cause ?? '')}\n`;
  const { from, to, subject, html, text } = message;
  const heads = Object.entries({ from, to, subject }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${oneLine(value)}\n`],
  );
  const body = (text ?? html ?? '').split(/\r?\n/).map((line) => `${oneLine(line)}\n`);
  return [...heads, '\n', ...body].join('');
}
