import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import type { RunWatch } from './watch-run.ts';

/** Streams server-sent events: `progress` at once and after each change, and `end` when the run has ended. */
export async function* progressEvents(
  runId: string,
  first: RunProgress,
  watch: RunWatch,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let last = first;
  yield event('progress', first);
  for await (const news of watch.follow(runId, first, signal)) {
    if (news === 'quiet') {
      yield ': quiet\n\n';
    } else {
      last = news;
      yield event('progress', news);
    }
  }
  if (isTerminal(last.state)) yield event('end', { runId: last.runId, state: last.state });
}

function event(name: string, body: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(body)}\n\n`;
}
