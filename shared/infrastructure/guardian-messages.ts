import { z } from 'zod';

/** Command to run, and the signal that ends it when its owner is gone. */
export const guardedCommand = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  /** File to which stdout and stderr are appended. */
  logFile: z.string(),
  /** SIGKILL, or the fastest signal that lets the process remove its resources outside of its folder. */
  endSignal: z.enum(['SIGKILL', 'SIGQUIT', 'SIGTERM']),
  user: z.object({ uid: z.int(), gid: z.int() }).optional(),
});

export type GuardedCommand = z.infer<typeof guardedCommand>;

/** Messages to the guardian. `id` identifies one process for the guardian's life. */
export const toGuardian = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), id: z.int(), command: guardedCommand }),
  z.object({ type: z.literal('signal'), id: z.int(), signal: z.enum(['SIGKILL', 'SIGTERM']) }),
]);

export type ToGuardian = z.infer<typeof toGuardian>;
export type FaultSignal = Extract<ToGuardian, { type: 'signal' }>['signal'];

export const fromGuardian = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), id: z.int(), pid: z.int() }),
  z.object({ type: z.literal('failed'), id: z.int(), message: z.string() }),
  z.object({ type: z.literal('exited'), id: z.int(), how: z.string(), clean: z.boolean() }),
]);

export type FromGuardian = z.infer<typeof fromGuardian>;
