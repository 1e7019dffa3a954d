import { z } from 'zod';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { patientAsk } from '../action-types/commands.ts';
import { ApiRefusal } from '../api/api-answers.ts';
import type { Ask } from '../api/ask.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { renderShard, renderShards, shownShard, type ShownShard } from './render.ts';

interface Named {
  actionType: string;
  country: string;
}

/** Kafka follows within seconds: for so long it is waited for. */
const patienceMs = 15_000;
const lookEveryMs = 500;

const page = z.object({ items: z.array(shownShard) });
const pathOf = ({ actionType, country }: Named) => `/v1/shards/${encodeURIComponent(`${actionType}.${country}`)}`;

export async function listShards(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { value, raw } = await patientAsk(context)(page, { method: 'GET', path: '/v1/shards' });
  const paint = createPaint(terminal.colours.out);
  writeData(context, raw, () => renderShards(value.items, paint, terminal.outColumns));
  return exitCodes.ok;
}

export async function showShard(named: Named, context: CommandContext): Promise<ExitCode> {
  const { value, raw } = await patientAsk(context)(shownShard, { method: 'GET', path: pathOf(named) });
  writeData(context, raw, () => renderShard(value, createPaint(context.terminal.colours.out)));
  return exitCodes.ok;
}

export async function raisePartitions(named: Named, partitions: number, context: CommandContext): Promise<ExitCode> {
  const ask = patientAsk(context);
  const request = { method: 'PATCH' as const, path: pathOf(named), body: { partitions } };
  const raised = await ask(shownShard, request).catch((error: unknown) => {
    const labelOf = (pointer: string) => (pointer === '/partitions' ? '--partitions' : pointer);
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome: 'not raised', labelOf }) : error;
  });
  const { value, raw } = await untilKafkaFollows(named, raised, ask);
  const { wanted, actual } = value.partitions;
  writeData(context, raw, () => `${value.topic} ${wanted} partitions\n`);
  if (!context.json && actual !== wanted) {
    context.terminal.note(
      actual === null
        ? 'Kafka does not tell whether it has them; a trigger sees to it\n'
        : `Kafka has ${actual} of them so far; a trigger sees to it\n`,
    );
  }
  return exitCodes.ok;
}

interface Answered {
  value: ShownShard;
  raw: unknown;
}

async function untilKafkaFollows(named: Named, raised: Answered, ask: Ask): Promise<Answered> {
  const untilMs = systemClock.monotonicMs() + patienceMs;
  let seen = raised;
  while (isBehind(seen.value) && systemClock.monotonicMs() < untilMs) {
    await systemClock.sleep(lookEveryMs);
    seen = await ask(shownShard, { method: 'GET', path: pathOf(named) });
  }
  return seen;
}

/** Where Kafka does not tell, waiting is of no use. */
function isBehind({ partitions: { wanted, actual } }: ShownShard): boolean {
  return actual !== null && actual < wanted;
}
