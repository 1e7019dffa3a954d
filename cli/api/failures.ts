import { z } from 'zod';

/** Problem details of the API (RFC 9457), or of a proxy in front. */
export const problem = z.object({
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string(), code: z.string().optional(), detail: z.string().optional() }))
    .default([]),
  requestId: z.string().optional(),
});

export type Problem = z.infer<typeof problem>;

/** Wording of a refusal for people who typed a command instead of a request body. */
export interface RefusalWording {
  /** Outcome, such as `not created`. */
  outcome?: string | undefined;
  labelOf?: ((pointer: string) => string) | undefined;
}

export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly problem: Problem;
  readonly wording: RefusalWording;

  constructor(refused: Problem, wording: RefusalWording = {}) {
    super(refused.detail ?? refused.title);
    this.problem = refused;
    this.wording = wording;
  }
}

/** The API did not answer, or the answer is invalid. A repeat may succeed. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable';
}
