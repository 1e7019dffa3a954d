import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { deadJobContent, deadJobGroup, deadJobShape, replayedJobs } from '../../shared/contracts/jobs/dead-jobs.ts';
import { patientAsk } from '../action-types/commands.ts';
import { tellNext, writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { renderDeadJob, renderDeadJobGroups, renderDeadJobs } from './render-dead.ts';
import { count } from '../show/numbers.ts';
import { createPaint } from '../show/paint.ts';
import { UsageError } from '../frame/usage-error.ts';

export interface DeadJobQuery {
  jobs?: true;
  client?: string;
  cause?: string;
  limit: number;
  cursor?: string;
}

export interface ReplaySelection {
  client?: string;
  cause?: string;
  all?: true;
  perSecond?: number;
  withExpired?: true;
}

const groups = z.object({ items: z.array(deadJobGroup) });
const page = z.object({ items: z.array(deadJobShape), next: z.string().nullable() });

/** By client and cause, or one by one. */
export async function listDeadJobs(query: DeadJobQuery, context: CommandContext): Promise<ExitCode> {
  const { jobs, client, cause, limit, cursor } = query;
  const { terminal } = context;
  const ask = patientAsk(context);
  const paint = createPaint(terminal.colours.out);
  const filter = { ...(client !== undefined && { client }), ...(cause !== undefined && { cause }) };
  if (!jobs) {
    const path = `/v1/dead-jobs/groups${queryOf(filter)}`;
    const { value, raw } = await ask(groups, { method: 'GET', path });
    writeData(context, raw, () => renderDeadJobGroups(value.items, paint, terminal.outColumns));
    return exitCodes.ok;
  }
  const place = { limit: String(limit), ...(cursor !== undefined && { cursor }) };
  const { value, raw } = await ask(page, { method: 'GET', path: `/v1/dead-jobs${queryOf({ ...filter, ...place })}` });
  writeData(context, raw, () => renderDeadJobs(value.items, paint, terminal.outColumns));
  tellNext(context, value.next);
  return exitCodes.ok;
}

export async function showDeadJob(id: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientAsk(context)(deadJobContent, { method: 'GET', path: pathOf(id) });
  writeData(context, raw, () => renderDeadJob(value));
  return exitCodes.ok;
}

/** One job by its id, or all that fit. */
export async function replayDeadJobs(
  id: string | undefined,
  { client, cause, all, perSecond, withExpired }: ReplaySelection,
  context: CommandContext,
): Promise<ExitCode> {
  const isFiltered = client !== undefined || cause !== undefined;
  if ([id !== undefined, isFiltered, all === true].filter(Boolean).length !== 1)
    throw new UsageError('say which: a job, --client or --cause, or --all');
  if (id !== undefined && perSecond !== undefined) throw new UsageError('--per-second is for several jobs');
  const expired = withExpired === true ? { withExpired: true } : {};
  const selection = {
    ...{ ...(client !== undefined && { client }), ...(cause !== undefined && { cause }) },
    ...{ ...(all === true && { all }), ...(perSecond !== undefined && { perSecond }), ...expired },
  };
  const { value, raw } = await patientAsk(context)(replayedJobs, {
    method: 'POST',
    path: id === undefined ? '/v1/dead-jobs/replay' : `${pathOf(id)}/replay`,
    body: id === undefined ? selection : expired,
    idempotencyKey: `cli-${randomUUID()}`,
  });
  const jobs = value.jobs === 1 ? '1 job is' : `${count(value.jobs)} jobs are`;
  writeData(context, raw, () => `${jobs} called again\n`);
  if (value.expired > 0 && !context.json)
    context.terminal.note(`${count(value.expired)} have expired and were left alone: --with-expired\n`);
  return exitCodes.ok;
}

const pathOf = (id: string) => `/v1/dead-jobs/${encodeURIComponent(id)}`;

function queryOf(fields: Record<string, string>): string {
  const query = new URLSearchParams(fields).toString();
  return query === '' ? '' : `?${query}`;
}
