import { z } from 'zod';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

/** What is shown of an action type by name; fields that join later are shown as they come. */
export const actionType = z.looseObject({
  name: z.string(),
  revision: z.int(),
  enabled: z.boolean(),
  origin: z.string(),
  url: z.string(),
  class: z.string(),
  batchSize: z.int(),
  concurrency: z.int(),
  timeoutMs: z.int(),
  /** By name, since when there is one. */
  secrets: z.record(z.string(), z.object({ changedAt: z.string() })).default({}),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export type ShownActionType = z.infer<typeof actionType>;

export function renderActionTypes(types: readonly ShownActionType[], paint: Paint, width = Infinity): string {
  const left = (title: string): Column => ({ title, align: 'left' });
  const right = (title: string): Column => ({ title, align: 'right' });
  const columns = [
    left('name'),
    left('class'),
    { ...left('url'), cut: true as const },
    right('batch'),
    right('calls'),
    right('time-out'),
    left('state'),
  ];
  const rows = types.map((type) => [
    oneLine(type.name),
    oneLine(type.class),
    oneLine(type.url),
    String(type.batchSize),
    String(type.concurrency),
    `${type.timeoutMs} ms`,
    type.enabled ? 'enabled' : 'disabled',
  ]);
  return renderTable(columns, rows, paint, width);
}

const saidElsewhere = new Set([
  ...['name', 'revision', 'enabled', 'origin', 'createdAt', 'updatedAt', 'links'],
  ...['secrets', 'paramsSchema'],
]);

/** A line for each field and secret, and the schema of the parameters as it is read best. */
export function renderActionType(type: ShownActionType, paint: Paint): string {
  const { name, revision, enabled, origin, updatedAt } = type;
  const secrets = Object.entries(type.secrets).map(([secret, { changedAt }]): [string, unknown] => [
    `${secret} secret`,
    `set ${utcTime(changedAt)}`,
  ]);
  const fields = [...Object.entries(type).filter(([field]) => !saidElsewhere.has(field)), ...secrets];
  const width = Math.max(...fields.map(([field]) => field.length));
  const said = origin === 'file' ? 'as the engine’s file says' : 'as somebody said through the API';
  const facts = `revision ${revision} · ${enabled ? 'enabled' : 'disabled'} · ${said} · ${utcTime(updatedAt)}`;
  const lines = fields.map(([field, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `  ${paint.faint(oneLine(field).padEnd(width))}  ${oneLine(text)}\n`;
  });
  const schema = schemaLines(type['paramsSchema']).map((line) => `  ${oneLine(line)}\n`);
  const params = schema.length === 0 ? '' : `\n  ${paint.faint('paramsSchema')}\n${schema.join('')}`;
  return `  ${paint.strong(oneLine(name))}\n  ${paint.faint(facts)}\n\n${lines.join('')}${params}`;
}

function schemaLines(schema: unknown): string[] {
  return schema === undefined ? [] : JSON.stringify(schema, undefined, 2).split('\n');
}
