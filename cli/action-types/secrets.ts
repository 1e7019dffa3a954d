import { z } from 'zod';
import { ApiRefusal } from '../api/api-answers.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { changeActionType, patientAsk, pathOf } from './commands.ts';
import { readSecretFrom, type SecretSource } from './read-secret.ts';

export async function setSecret(
  name: string,
  secret: string,
  source: SecretSource,
  context: CommandContext,
): Promise<ExitCode> {
  const value = await readSecretFrom(source, context.input);
  const request = { method: 'PUT' as const, path: `${pathOf(name)}/secrets/${secret}`, body: { value } };
  const labelOf = (pointer: string) => (pointer === '/value' ? secret : pointer);
  return await changeActionType(request, { outcome: 'not set', said: `has a new ${secret} secret`, labelOf }, context);
}

export async function removeSecret(name: string, secret: string, context: CommandContext): Promise<ExitCode> {
  try {
    await patientAsk(context)(z.undefined(), { method: 'DELETE', path: `${pathOf(name)}/secrets/${secret}` });
  } catch (error) {
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome: 'not removed' }) : error;
  }
  context.terminal.note(`${name} has no ${secret} secret; workers know in about a second\n`);
  return exitCodes.ok;
}
