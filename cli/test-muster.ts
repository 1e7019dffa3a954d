import { Readable } from 'node:stream';
import { runProgram } from './program.ts';
import type { TestApi } from './api/test-api.ts';
import { createTestTerminal } from './frame/test-terminal.ts';
import type { Terminal } from './frame/terminal.ts';

export interface Sitting {
  /** The API to call. Address and key are valid unless `environment` overrides them. */
  api?: Pick<TestApi, 'url'>;
  environment?: NodeJS.ProcessEnv;
  /** Input typed by a person; undefined without a terminal. */
  typed?: string | undefined;
  piped?: string | undefined;
  terminal?: Partial<Terminal>;
  interrupt?: AbortSignal | undefined;
}

export async function runMuster(args: string[], sitting: Sitting) {
  const { api, typed, piped, interrupt } = sitting;
  const terminal = createTestTerminal({ ...sitting.terminal, live: typed !== undefined });
  const text = typed ?? piped;
  const input = Readable.from(text === undefined ? [] : [Buffer.from(text)]);
  if (typed !== undefined) Object.assign(input, { isTTY: true });
  const environment = sitting.environment ?? { MUSTER_API_URL: api?.url, MUSTER_API_KEY: 'muster_key' };
  const onInterrupt = () => interrupt ?? new AbortController().signal;
  const code = await runProgram(args, { terminal, environment, input, onInterrupt });
  return { code, ...terminal.written };
}
