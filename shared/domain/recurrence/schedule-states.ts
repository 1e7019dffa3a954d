/**
 * The states of a schedule, and who moves it on.
 *
 * - `active`: it fires. The scheduler makes it `ended` when nothing of it is left.
 * - `paused`: a person stopped it for a while, and its callbacks that wait go on. A campaign's run is paused with it.
 *   What came meanwhile is recorded as skipped when it is resumed.
 * - `disabled`: a person switched it off. A campaign's run is cancelled with it. The same when it is enabled again.
 * - `broken`: the scheduler cannot read it, or not plan it; the state's reason is the cause. It is read again each
 *   minute, and `active` when it can be read. What came meanwhile was missed. A change of its definition does the
 *   same.
 * - `ended`: nothing comes any more. Enabled again it fires if its definition has been changed so that something does.
 */
export const scheduleStates = ['active', 'paused', 'disabled', 'broken', 'ended'] as const;

export type ScheduleState = (typeof scheduleStates)[number];

export const scheduleVerbs = ['pause', 'resume', 'disable', 'enable'] as const;

export type ScheduleVerb = (typeof scheduleVerbs)[number];

/** `stays`: it is so already, which is no error. */
export type ScheduleMove =
  { kind: 'move'; to: ScheduleState } | { kind: 'stays' } | { kind: 'forbidden'; allowed: readonly ScheduleState[] };

const table: Record<ScheduleVerb, { from: readonly ScheduleState[]; to: ScheduleState }> = {
  pause: { from: ['active'], to: 'paused' },
  resume: { from: ['paused'], to: 'active' },
  disable: { from: ['active', 'paused', 'broken', 'ended'], to: 'disabled' },
  enable: { from: ['disabled', 'ended'], to: 'active' },
};

export function scheduleMoveOf(verb: ScheduleVerb, state: ScheduleState): ScheduleMove {
  const { from, to } = table[verb];
  if (state === to) return { kind: 'stays' };
  return from.includes(state) ? { kind: 'move', to } : { kind: 'forbidden', allowed: [...from, to] };
}
