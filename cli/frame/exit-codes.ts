/** What a script can tell from the command's end (docs/cli.md). */
export const exitCodes = {
  ok: 0,
  failure: 1,
  /** A wrong option, or a wrong environment variable. */
  usage: 2,
  /** The API answered and said no. */
  refused: 3,
  /** The run that was watched ended as failed, expired or cancelled. */
  runNotCompleted: 5,
  /** The endpoint that was checked breaks its contract. */
  endpointBroken: 6,
  /** Ctrl-C ended the watching; what was watched goes on. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
