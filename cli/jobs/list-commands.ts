import { createInterface } from 'node:readline';
import { cancelJobs, findJobs, rescheduleJobs, resendJobs } from '../../sdk/generated/sdk.gen.ts';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { apiOf, byHand, fieldLabel, worded } from '../frame/command-table.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { streamOf } from '../frame/given.ts';
import { flag, text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { due, dueOf } from './due-options.ts';

/** Maximum jobs per request. */
const jobsAtOnce = 5000;

const naming = {
  keys: flag('--keys', 'the arguments are idempotency keys, not ids'),
  from: text('--from <file>', 'file with one id or key on each line; - reads standard input'),
};
const args = ['<client>', '[job...]'] as const;

type Named = { client: string } & ({ ids: string[] } | { idempotencyKeys: string[] });

interface Result {
  id: string;
  idempotencyKey?: string;
}

interface Listing<Of extends Result> {
  args: [client: string, jobs: string[]];
  options: { keys?: true; from?: string };
  context: CommandContext;
  outcome: string;
  ask: (client: Client, body: Named) => Promise<{ data: { results: Of[] } }>;
  render: (result: Of) => string;
}

/** Prints a line for each job in order, over as many requests as necessary. */
async function askForAll<Of extends Result>({ args, options, context, ...listing }: Listing<Of>): Promise<ExitCode> {
  const { outcome, ask, render } = listing;
  const [owner, given] = args;
  const { keys, from } = options;
  const names = [...given, ...(from === undefined ? [] : await linesOf(from, context))];
  if (names.length === 0) throw new UsageError('say which jobs, or --from a file');
  const client = await apiOf(context);
  for (let place = 0; place < names.length; place += jobsAtOnce) {
    const part = names.slice(place, place + jobsAtOnce);
    const body = { client: owner, ...(keys ? { idempotencyKeys: part } : { ids: part }) };
    const { data } = await worded({ outcome, labelOf: fieldLabel }, () => ask(client, body));
    const lines = data.results.map((result) => `${result.idempotencyKey ?? result.id} ${render(result)}\n`);
    writeData(context, data, () => lines.join(''));
  }
  return exitCodes.ok;
}

async function linesOf(file: string, { input }: CommandContext): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: await streamOf(file, input), crlfDelay: Infinity })) {
    if (line.trim() !== '') lines.push(line.trim());
  }
  return lines;
}

const find = byHand({
  name: 'find',
  args,
  description: 'show the states of jobs of a client, by ids or keys',
  options: naming,
  run: (call) =>
    askForAll({
      ...call,
      outcome: 'not looked for',
      ask: (client, body) => findJobs({ client, body }),
      render: ({ job }) => (job ? `${job.id} ${job.state}` : 'not-found'),
    }),
});

const cancel = byHand({
  name: 'cancel-list',
  args,
  description: 'cancel jobs of a client, by ids or keys',
  options: naming,
  run: (call) =>
    askForAll({
      ...call,
      outcome: 'not cancelled',
      ask: (client, body) => cancelJobs({ client, body }),
      render: ({ result }) => result,
    }),
});

const reschedule = byHand({
  name: 'reschedule-list',
  args,
  description: 'move jobs of a client to another time, by ids or keys',
  options: { ...naming, ...due },
  run: (call) =>
    askForAll({
      ...call,
      outcome: 'not moved',
      ask: (client, body) => rescheduleJobs({ client, body: { ...body, ...dueOf(call.options) } }),
      render: ({ result }) => result,
    }),
});

const resend = byHand({
  name: 'resend',
  args,
  description: 'send ended jobs again, each as a new job; by default now',
  options: { ...naming, ...due },
  run: (call) =>
    askForAll({
      ...call,
      outcome: 'not sent again',
      ask: (client, body) => resendJobs({ client, body: { ...body, ...dueOf(call.options) } }),
      render: ({ result, jobId }) => (jobId === null ? result : `${result} ${jobId}`),
    }),
});

export const listCommands = [find, resend, cancel, reschedule];
