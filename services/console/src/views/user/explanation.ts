import type { UserExplanation } from '#client/types.gen.ts';

export type Explanation = UserExplanation;

export type ExplainedStep = Explanation['steps'][number];

export type Attempt = ExplainedStep['attempts'][number];

export type Place = Explanation['audience']['place'];
