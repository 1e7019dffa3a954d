import { z } from 'zod';

/** The two answer forms of a batch endpoint (docs/contracts.md). Unknown fields are ignored. */
export const userResult = z.object({
  id: z.string(),
  status: z.string(),
  code: z.string().optional(),
  message: z.string().optional(),
  retryable: z.boolean().optional(),
});

export const fullAnswer = z.object({ results: z.array(userResult) });

export const compactAnswer = z.object({
  succeeded: z.int().min(0),
  failed: z.array(userResult.omit({ status: true })),
});

export const batchCall = z.object({
  campaign: z.string(),
  run: z.string(),
  step: z.int().min(1),
  country: z.string(),
  batch: z.int().min(1),
  /** Type of the check. Only the request of a check has this field. */
  check: z.object({ type: z.string() }).optional(),
  action: z.object({ type: z.string(), params: z.record(z.string(), z.json()) }),
  users: z.array(z.string()).min(1),
});

export type BatchCall = z.infer<typeof batchCall>;

/** Request body for a status endpoint (class C). */
export const statusQuery = z.object({
  run: z.string(),
  step: z.int().min(1),
  users: z.array(z.string()).min(1),
});

export type StatusQuery = z.infer<typeof statusQuery>;

export const userStatus = userResult.omit({ message: true });
