/** Exit codes for scripts (docs/reference/cli.md). */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  refused: 3,
  runNotCompleted: 5,
  endpointBroken: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'success; also for `watch` if the run ended with failed users, which the report lists',
  failure:
    'failure, or nothing was done: a server does not answer, there is no run yet, or a start was not confirmed; for `doctor` and `audit verify`, something is missing or was changed',
  usage: 'a wrong option or environment variable; the message names it, and the accepted values',
  refused: 'the API refused the request; stderr has the reason, and a line for each error with its option',
  runNotCompleted: 'the watched run failed, expired or was cancelled',
  endpointBroken: 'the checked endpoint breaks its contract',
  interrupted: 'Ctrl-C ended `watch`; the run continues',
};
