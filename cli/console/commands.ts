import { endedSessions, logInLink } from '../../shared/contracts/access/sessions.ts';
import { createAsk } from '../api/ask.ts';
import { exchangeFrom } from '../api/environment.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { count } from '../show/numbers.ts';

/** A link that opens the console, logged in with the key of the environment. */
export async function showLink(context: CommandContext): Promise<ExitCode> {
  const ask = createAsk(exchangeFrom(context.environment));
  const { value, raw } = await ask(logInLink, { method: 'POST', path: '/v1/session/links', body: {} });
  writeData(context, raw, () => `${value.url}\n`);
  context.terminal.note(`it logs in once, until ${value.expiresAt}\n`);
  return exitCodes.ok;
}

/** Ends all sessions of the key of the environment. */
export async function logOutEverywhere(context: CommandContext): Promise<ExitCode> {
  const ask = createAsk(exchangeFrom(context.environment));
  const { value, raw } = await ask(endedSessions, { method: 'DELETE', path: '/v1/sessions' });
  writeData(context, raw, () => `${count(value.ended)} ${value.ended === 1 ? 'session' : 'sessions'} ended\n`);
  return exitCodes.ok;
}
