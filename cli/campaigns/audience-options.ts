import { UsageError } from '../frame/usage-error.ts';

export interface AudienceOptions {
  segment?: string[] | undefined;
  /** Ids `aud_…`. */
  list?: string[] | undefined;
  /** Values `run_…`, `run_…:failed,unknown`, or `run_…:failed@2` for step 2. */
  run?: string[] | undefined;
  excludeSegment?: string[] | undefined;
  excludeList?: string[] | undefined;
  excludeRun?: string[] | undefined;
  /** Percentage. */
  holdOut?: number | undefined;
  holdOutSeed?: string | undefined;
}

export function includesAnybody({ segment, list, run }: AudienceOptions): boolean {
  return [segment, list, run].some(isGiven);
}

export function saysAudience(options: AudienceOptions): boolean {
  return saysSources(options) || [options.holdOut, options.holdOutSeed].some(isGiven);
}

export function saysSources(options: AudienceOptions): boolean {
  const { excludeSegment, excludeList, excludeRun } = options;
  return includesAnybody(options) || [excludeSegment, excludeList, excludeRun].some(isGiven);
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

export function audienceOf(options: AudienceOptions): unknown {
  const { segment, list, run, excludeSegment, excludeList, excludeRun, holdOut, holdOutSeed } = options;
  if (holdOut === undefined && holdOutSeed !== undefined) throw new UsageError('--hold-out-seed goes with --hold-out');
  const exclude = entriesOf(excludeSegment, excludeList, excludeRun, '--exclude-run');
  return {
    include: entriesOf(segment, list, run, '--run'),
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(holdOut === undefined ? {} : { holdOutPercent: holdOut }),
    ...(holdOutSeed === undefined ? {} : { holdOutSeed }),
  };
}

function entriesOf(
  segments: readonly string[] = [],
  lists: readonly string[] = [],
  runs: readonly string[] = [],
  runOption: string,
): object[] {
  return [
    ...segments.map((segment) => ({ segment })),
    ...lists.map((list) => ({ list })),
    ...runs.map((text) => runEntryOf(text, runOption)),
  ];
}

function runEntryOf(text: string, option: string): object {
  const [, runId, outcomes, step] = /^([^:@]+)(?::([a-z,-]+))?(?:@(\d+))?$/.exec(text) ?? [];
  if (runId === undefined)
    throw new UsageError(`${option} has to be run_…, run_…:failed,unknown or run_…:failed@2 for one step, not ${text}`);
  return {
    runId,
    ...(outcomes === undefined ? {} : { outcomes: outcomes.split(',') }),
    ...(step === undefined ? {} : { step: Number(step) }),
  };
}

const holdOutOptions: Record<string, string> = { holdOutPercent: '--hold-out', holdOutSeed: '--hold-out-seed' };

/**
 * Returns the command-line option that sets an audience field.
 * @param below rest of the pointer after `/audience/<part>`
 */
export function audienceLabel(part: string, below: readonly string[]): string {
  const option = holdOutOptions[part];
  if (option !== undefined) return option;
  const inside = below.slice(1).at(0);
  const kind = inside === 'list' ? 'list' : inside === 'segment' || inside === undefined ? 'segment' : 'run';
  return part === 'exclude' ? `--exclude-${kind}` : `--${kind}`;
}
