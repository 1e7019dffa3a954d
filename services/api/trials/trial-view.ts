import type { ChainStep } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Trial } from '../../../shared/contracts/runs/trials.ts';
import type { Warning } from '../../../shared/contracts/warnings.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { modeOfStep, type StepMode } from '../../../shared/domain/run/run-kinds.ts';
import type { RunHeader } from '../runs/run-reports.port.ts';
import { runSummaryView } from '../runs/run-view.ts';

interface Tested {
  users: number;
  variants: Trial['variants'];
  chain: readonly Pick<ChainStep, 'action'>[];
  warnings: Warning[];
}

/** @param run null for a preview */
export function testView(
  run: RunHeader | null,
  modes: readonly StepMode[],
  { users, variants, chain, warnings }: Tested,
): Trial {
  const steps = chain.map(({ action }, index) => ({ step: index + 1, action, mode: modeOfStep(modes, index + 1) }));
  const isReal = steps.some(({ mode }) => mode === 'live');
  const summary = [summaryOf(users, steps), ...summaryOfVariants(variants)].join(' ');
  return { ...runAndLinks(run), variants, users, steps, isReal, summary, warnings };
}

export function dryRunView(run: RunHeader, warnings: Warning[]): Trial {
  const summary = 'The whole audience is read, and no user is called.';
  return { ...runAndLinks(run), variants: [], users: null, steps: [], isReal: false, summary, warnings };
}

function summaryOfVariants(variants: Trial['variants']): string[] {
  const names = variants.map(({ name }) => `“${name}”`);
  return names.length === 0 ? [] : [`Each user is called once for each variant: ${names.join(', ')}.`];
}

function runAndLinks(run: RunHeader | null): Pick<Trial, 'run' | 'links'> {
  const self = run && `/v1/runs/${publicId('run', run.runId)}`;
  return { run: run && runSummaryView(run), links: { self, report: self && `${self}/report` } };
}

function summaryOf(users: number, steps: readonly { action: string; mode: StepMode }[]): string {
  const actionsOf = (wanted: StepMode) => [
    ...new Set(steps.flatMap(({ action, mode }) => (mode === wanted ? [action] : []))),
  ];
  const [live, test] = [actionsOf('live'), actionsOf('test')];
  const unreal = `${test.join(', ')}: the endpoint is called in test mode, and gives nothing.`;
  if (live.length === 0) return `No user really gets anything. ${unreal}`;
  const recipients = users === 1 ? 'this user really gets' : `these ${users} users really get`;
  const real = `${live.join(', ')}: ${recipients} it.`;
  return test.length === 0 ? real : `${real} ${unreal}`;
}
