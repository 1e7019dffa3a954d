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
  ok: 'done; for `watch` also a run with failed users: they are a result, and in the report',
  failure:
    'it failed, or was not done: something does not answer, there is no run yet, a start was not confirmed; for ' +
    '`doctor` and `audit verify`, something is missing or not as it was',
  usage: 'a wrong option or environment variable; the message names it, and the words that an option takes',
  refused: 'the API answered and said no; on stderr why, and a line for each mistake with the option that it came from',
  runNotCompleted: 'the run that was watched ended as failed, expired or cancelled',
  endpointBroken: 'the endpoint that was checked breaks its contract',
  interrupted: 'Ctrl-C ended the watching; what was watched goes on',
};
