import { randomUUID } from 'node:crypto';
import { enabledHost, regionsShape, schedulerShape } from '../../shared/contracts/jobs/scheduler.ts';
import { patientAsk } from '../action-types/commands.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { renderRegions, renderScheduler } from './render.ts';

export async function showScheduler(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientAsk(context)(schedulerShape, { method: 'GET', path: '/v1/scheduler' });
  writeData(context, raw, () => renderScheduler(value, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

export async function listRegions(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { value } = await patientAsk(context)(schedulerShape, { method: 'GET', path: '/v1/scheduler' });
  const { regions } = value;
  writeData(context, regions, () => renderRegions(regions, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

export async function changeRegion(
  verb: 'switch' | 'activate',
  region: string,
  { reason }: { reason?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientAsk(context)(regionsShape, {
    method: 'POST',
    path: `/v1/scheduler/regions/${encodeURIComponent(region)}/${verb}`,
    ...(verb === 'switch' && { body: reason === undefined ? {} : { reason } }),
    idempotencyKey: `cli-${randomUUID()}`,
  });
  writeData(context, raw, () => renderRegions(value.items, createPaint(terminal.colours.out), terminal.outColumns));
  return exitCodes.ok;
}

export async function enableHost(client: string, host: string, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientAsk(context)(enabledHost, {
    method: 'POST',
    path: '/v1/scheduler/hosts/enable',
    body: { client, host },
    idempotencyKey: `cli-${randomUUID()}`,
  });
  writeData(context, raw, () => `${value.host}: its jobs are brought back\n`);
  return exitCodes.ok;
}
