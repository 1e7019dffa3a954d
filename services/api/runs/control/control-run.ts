import type { RunChanges } from '../../../../shared/contracts/runs/run-control.ts';
import {
  controlEvents,
  isChangeable,
  moveOf,
  type ControlMove,
  type ControlVerb,
} from '../../../../shared/domain/run/run-control.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import { isWaitingAfterCanary } from '../../../../shared/domain/run/canary.ts';
import { isWaitingForApproval } from '../../../../shared/domain/approval/waiting-runs.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import type { Requester } from '../../../../shared/domain/run/requester.ts';
import type { RunChange, RunEventEntry } from './run-control.port.ts';
import { quoted } from '../../frame/http-problem.ts';
import type { RunHeader } from '../run-reports.port.ts';

export interface VerbDecision {
  move: ControlMove;
  change: RunChange | null;
  /** Reason for which a choice of a variant is refused. */
  refusal?: FieldProblem;
}

const pastOf: Record<ControlVerb, string> = { pause: 'paused', resume: 'resumed', cancel: 'cancelled' };

/** Fields of a request about a run. */
export interface VerbRequest {
  reason?: string | undefined;
  /** Name of the variant that the caller chooses; only for `resume`. */
  variant?: string | undefined;
}

export function decideVerb(
  verb: ControlVerb,
  run: RunHeader,
  by: Requester,
  { reason, variant }: VerbRequest = {},
): VerbDecision {
  const move = moveOf(verb, run.state, run.startedAt !== null);
  if (verb === 'resume' && move.kind !== 'forbidden') {
    const refusal = refusalOfChoice(run, move, variant);
    if (refusal) return { move, change: null, refusal };
  }
  // The run waits for an approval or for a decision about its canary, and would then resume. After this pause, it waits
  // for a person.
  const resumesAutomatically = isWaitingForApproval(run.stateReason) || isWaitingAfterCanary(run.stateReason);
  const isPausedAgain = verb === 'pause' && move.kind === 'stays' && resumesAutomatically;
  if (move.kind !== 'move' && !isPausedAgain) return { move, change: null };
  const sentence = `${pastOf[verb]} by ${by.keyName}${reason === undefined ? '' : `: ${reason}`}`;
  const stateReason = verb === 'resume' ? null : sentence;
  const chosen = verb === 'resume' && isChoiceDue(run) ? variant : undefined;
  const detail = { by, ...(reason !== undefined && { reason }), ...(chosen !== undefined && { variant: chosen }) };
  if (move.kind !== 'move')
    return { move, change: { stateReason: sentence, events: [{ kind: controlEvents[verb], detail }] } };
  const events = [{ kind: controlEvents[verb], detail }, ...becomesAtOnce(move.to, sentence)];
  const place = (run.variants ?? []).findIndex(({ name }) => name === chosen) + 1;
  const judgeFromHere = verb === 'resume';
  return { move, change: { to: move.to, stateReason, judgeFromHere, ...(place > 0 && { variant: place }), events } };
}

/** Returns true if the run waits after its canary until a person chooses a variant. */
function isChoiceDue({ canary, variantChoice }: RunHeader): boolean {
  return canary === 'waits' && variantChoice?.chosen === null;
}

function refusalOfChoice(run: RunHeader, move: ControlMove, variant: string | undefined): FieldProblem | undefined {
  const pointer = '/variant';
  const names = (run.variants ?? []).map(({ name }) => quoted(name)).join(', ');
  if (move.kind === 'move' && isChoiceDue(run)) {
    if (variant === undefined) {
      const detail = `the run waits for the choice of a variant for all users outside the canary: name one of ${names}`;
      return { pointer, code: 'choice-needed', detail };
    }
    if (run.variants?.some(({ name }) => name === variant) === true) return undefined;
    return { pointer, code: 'unknown-variant', detail: `has to be one of ${names}, not ${quoted(variant)}` };
  }
  const { chosen = null } = run.variantChoice ?? {};
  if (variant === undefined || variant === chosen) return undefined;
  const why =
    chosen !== null
      ? `${quoted(chosen)} was chosen, and the choice is final`
      : run.variantChoice
        ? 'the canary users have not all ended'
        : 'the run does not try variants on a canary';
  return { pointer, code: 'no-choice', detail: `has to be absent: ${why}` };
}

/** Returns the final event of a run that had not started, because such a run has no work in progress to wait for. */
function becomesAtOnce(to: RunState, reason: string): RunEventEntry[] {
  if (to === 'paused') return [{ kind: 'paused', detail: {} }];
  return to === 'cancelled' ? [{ kind: 'ended', detail: { state: to, reason } }] : [];
}

export type ChangesDecision =
  | { kind: 'forbidden'; change: null }
  | { kind: 'invalid'; errors: FieldProblem[]; change: null }
  | { kind: 'changed'; change: RunChange | null };

const farthestDeadlineMs = 30 * 86_400_000;

/**
 * Returns the changes of a run's deadline, priority or pace. A setting that already has the requested value counts as
 * unchanged.
 */
export function decideChanges(run: RunHeader, requested: RunChanges, by: Requester, now: Date): ChangesDecision {
  if (!isChangeable(run.state)) return { kind: 'forbidden', change: null };
  const { reason, deadlineSeconds, deadlineAt, ...settings } = requested;
  const wanted = deadlineOf(run, { deadlineSeconds, deadlineAt });
  const errors = deadlineProblems({ deadlineSeconds, deadlineAt }, wanted, now);
  if (errors.length > 0) return { kind: 'invalid', errors, change: null };

  const before = { deadlineAt: run.deadlineAt.toISOString(), ...run.settings };
  const after = { ...before, ...(wanted && { deadlineAt: wanted.toISOString() }), ...given(settings) };
  const changed = Object.entries(after).filter(([name, value]) => !Object.is(Reflect.get(before, name), value));
  if (changed.length === 0) return { kind: 'changed', change: null };
  const from = Object.fromEntries(changed.map(([name]) => [name, Reflect.get(before, name)]));
  const detail = { by, ...(reason !== undefined && { reason }), from, to: Object.fromEntries(changed) };
  const events = [{ kind: 'changed' as const, detail }];
  return { kind: 'changed', change: { settings: given(settings), ...(wanted && { deadlineAt: wanted }), events } };
}

type RequestedDeadline = Pick<RunChanges, 'deadlineSeconds' | 'deadlineAt'>;

function deadlineOf({ scheduledFor }: RunHeader, { deadlineSeconds, deadlineAt }: RequestedDeadline): Date | undefined {
  if (deadlineAt !== undefined) return new Date(deadlineAt);
  return deadlineSeconds === undefined ? undefined : new Date(scheduledFor.getTime() + deadlineSeconds * 1000);
}

function deadlineProblems(requested: RequestedDeadline, wanted: Date | undefined, now: Date): FieldProblem[] {
  const pointer = requested.deadlineAt === undefined ? '/deadlineSeconds' : '/deadlineAt';
  if (requested.deadlineAt !== undefined && requested.deadlineSeconds !== undefined) {
    return [{ pointer, code: 'contradicting-deadline', detail: 'give deadlineAt or deadlineSeconds, not both' }];
  }
  if (!wanted) return [];
  const facts = `${wanted.toISOString()}; it is ${now.toISOString()} now`;
  if (wanted <= now) {
    return [{ pointer, code: 'past-time', detail: `that would be ${facts}: to end the run now, cancel it` }];
  }
  if (wanted.getTime() - now.getTime() > farthestDeadlineMs) {
    return [{ pointer, code: 'out-of-range', detail: `has to be within 30 days, and would be ${facts}` }];
  }
  return [];
}

/** Returns the object without the fields that are undefined. Null is a value. */
function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const kept: { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) Object.assign(kept, { [name]: value });
  }
  return kept;
}
