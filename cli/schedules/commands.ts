import { z } from 'zod';
import {
  firedShape,
  occurrenceShape,
  previewShape,
  scheduleShape,
} from '../../shared/contracts/schedules/schedules.ts';
import type { ScheduleVerb } from '../../shared/domain/recurrence/schedule-states.ts';
import { readFields, type WrittenOptions } from '../action-types/read-fields.ts';
import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { renderOccurrences, renderPreview, renderSchedule, renderSchedules } from './render.ts';
import { UsageError } from '../frame/usage-error.ts';
import { askFor, askToChange, nest, queryOf } from './ask-for.ts';

const page = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), next: z.string().nullable() });
const pathOf = (id: string) => `/v1/schedules/${encodeURIComponent(id)}`;

export interface ListOptions {
  state?: string | undefined;
  client?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export async function listSchedules(options: ListOptions, context: CommandContext): Promise<ExitCode> {
  const { client: clientId, ...rest } = options;
  const { value, raw } = await askFor(page(scheduleShape), `/v1/schedules${queryOf({ ...rest, clientId })}`, context);
  const { terminal } = context;
  writeData(context, raw, () => renderSchedules(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

export async function showSchedule(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await askFor(scheduleShape, pathOf(id), context);
  writeData(context, raw, () => renderSchedule(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

export async function createSchedule(
  words: readonly string[],
  options: WrittenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const body = nest(await readFields(words, options, context.input));
  const request = { method: 'POST', path: '/v1/schedules', body } as const;
  return await changeSchedule(request, { outcome: 'not created', said: 'is created' }, context);
}

export async function setSchedule(
  id: string,
  words: readonly string[],
  options: WrittenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const body = nest(await readFields(words, options, context.input));
  const request = { method: 'PATCH', path: pathOf(id), body } as const;
  return await changeSchedule(request, { outcome: 'not changed', said: 'is changed' }, context);
}

const pastOf: Record<ScheduleVerb, string> = {
  ...{ pause: 'paused', resume: 'resumed', disable: 'disabled', enable: 'enabled' },
};

export async function controlSchedule(
  verb: ScheduleVerb,
  id: string,
  { reason }: { reason?: string | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const body = reason === undefined ? {} : { reason };
  const wording = { outcome: `not ${pastOf[verb]}`, said: `is ${pastOf[verb]}` };
  return await changeSchedule({ method: 'POST', path: `${pathOf(id)}/${verb}`, body }, wording, context);
}

interface ChangeRequest {
  method: 'POST' | 'PATCH';
  path: string;
  body: unknown;
}

async function changeSchedule(
  request: ChangeRequest,
  { outcome, said }: { outcome: string; said: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { value, raw } = await askToChange(scheduleShape, request, outcome, context);
  writeData(context, raw, () => `${value.id}\n`);
  const next = value.nextAt === null ? '' : `; next ${value.nextAt}`;
  if (!context.json) context.terminal.note(`${value.name} ${said}${next}\n`);
  return exitCodes.ok;
}

export interface FireOptions {
  group?: string[] | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

export async function fireSchedule(
  verb: 'run-now' | 'backfill',
  id: string,
  { group: groups, from, until }: FireOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const body = { ...(groups ? { groups } : {}), ...(verb === 'backfill' ? { from, until } : {}) };
  const request = { method: 'POST', path: `${pathOf(id)}/${verb}`, body } as const;
  const { value, raw } = await askToChange(firedShape, request, 'not fired', context);
  const { terminal } = context;
  writeData(context, raw, () => renderOccurrences(value.fired, createPaint(terminal.colours.out), terminal.outColumns));
  const already = value.alreadyFired === 0 ? '' : `; ${value.alreadyFired} had fired before`;
  if (!context.json) terminal.note(`${value.fired.length} fired${already}\n`);
  return exitCodes.ok;
}

export interface PreviewOptions extends WrittenOptions {
  count?: number | undefined;
  after?: string | undefined;
}

/** Of a schedule by its id, or of fields such as `cron='0 9 * * *'`. */
export async function previewSchedule(
  words: readonly string[],
  { count, after, ...written }: PreviewOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const [id] = words;
  if (id?.startsWith('sch_') === true && words.length > 1) throw new UsageError('give an id or fields, not both');
  const asked = { ...(count === undefined ? {} : { count }), ...(after === undefined ? {} : { after }) };
  const answer =
    id?.startsWith('sch_') === true
      ? await askFor(previewShape, `${pathOf(id)}/preview${queryOf(asked)}`, context)
      : await askToChange(
          previewShape,
          {
            method: 'POST',
            path: '/v1/schedules/preview',
            body: { ...(await readFields(words, written, context.input)), ...asked },
          },
          'no preview',
          context,
        );
  const { terminal } = context;
  writeData(context, answer.raw, () =>
    renderPreview(answer.value, createPaint(terminal.colours.out), terminal.outColumns),
  );
  return exitCodes.ok;
}

export interface OccurrenceOptions {
  state?: string | undefined;
  group?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export async function listOccurrences(
  id: string,
  options: OccurrenceOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const path = `${pathOf(id)}/occurrences${queryOf({ ...options })}`;
  const { value, raw } = await askFor(page(occurrenceShape), path, context);
  const { terminal } = context;
  writeData(context, raw, () => renderOccurrences(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}
