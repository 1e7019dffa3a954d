import { startTrial } from '../../sdk/generated/sdk.gen.ts';
import type { Trial, TrialRequestInput } from '../../sdk/generated/types.gen.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { apiOf, noteLines, viewOf, worded } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { left, renderItems, right } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { warningsOf } from './render.ts';

type TestRequest = Extract<TrialRequestInput, { kind: 'test' }>;

/** Starts a dry run without confirmation, as it makes no calls. */
export async function startDryRun(id: string, context: CommandContext): Promise<ExitCode> {
  const seen = await ask(id, { kind: 'dry-run' }, context);
  return writeStarted(seen, context);
}

/** Shows which steps are live, asks for confirmation, and starts the test. */
export async function startTest(
  id: string,
  { test, isPreview, isSure }: { test: TestRequest; isPreview: boolean; isSure: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const preview = () => ask(id, { ...test, preview: true }, context);
  if (isPreview) {
    const seen = await preview();
    writeData(context, seen, () => renderTest(seen, viewOf(context)));
    return exitCodes.ok;
  }
  if (!isSure && canAsk(context)) {
    terminal.note(renderTest(await preview(), viewOf(context)));
    if (!(await isConfirmed('Send it?', context))) {
      terminal.note('not started\n');
      return exitCodes.failure;
    }
  }
  return writeStarted(await ask(id, test, context), context);
}

async function ask(id: string, body: TrialRequestInput, context: CommandContext): Promise<Trial> {
  const client = await apiOf(context);
  return (await worded({ outcome: 'not started' }, () => startTrial({ client, path: { id }, body }))).data;
}

function writeStarted(seen: Trial, context: CommandContext): ExitCode {
  const runs = seen.variants.length > 0 ? seen.variants : [{ name: '', runId: seen.run?.runId ?? '' }];
  writeData(context, seen, () => runs.map(({ runId }) => `${runId ?? ''}\n`).join(''));
  const next = runs.flatMap(({ name, runId }) => [
    ...(name === '' ? [] : [`variant ${oneLine(name)}:`]),
    `muster campaign watch ${runId ?? ''}`,
    `muster campaign report ${runId ?? ''}`,
  ]);
  if (!context.json) noteLines([seen.summary, ...warningsOf(seen), ...next], context);
  return exitCodes.ok;
}

function renderTest(seen: Trial, view: View): string {
  const table = renderItems(
    seen.steps,
    [
      right('step', ({ step }) => step),
      left('action', ({ action }) => action),
      left('', ({ mode }) => (mode === 'live' ? 'real' : 'told that it is a test')),
    ],
    view,
  );
  return `${[...warningsOf(seen), seen.summary].join('\n')}\n${table}`;
}
