/**
 * `live`: a run of its campaign. `test`: of a few users who were named, to see what they get; in no figures of its
 * campaign. `dry-run`: of its whole audience, without a call, to see what it would be; in no figures either.
 */
export const runKinds = ['live', 'test', 'dry-run'] as const;

export type RunKind = (typeof runKinds)[number];

/** Of a step of a run: its users really get it, or its endpoint is told that this is a test (`Muster-Mode`). */
export const stepModes = ['live', 'test'] as const;

export type StepMode = (typeof stepModes)[number];

/** @param step from 1 */
export function modeOfStep(modes: readonly StepMode[] | null, step: number): StepMode {
  return modes?.[step - 1] ?? 'live';
}
