import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CheckEndpointOptions } from './check-endpoint.ts';
import type { Session } from '../frame/session.ts';

export function registerCheckEndpoint(program: Command, session: Session): void {
  program
    .command('check-endpoint <url>')
    .description('play a batch endpoint through what its contract class promises; real calls, with made-up users')
    .addOption(
      new Option('--class <class>', 'what it promises to keep (docs/contracts.md)')
        .choices(['A', 'B', 'C', 'D'])
        .makeOptionMandatory(),
    )
    .option('--status-url <url>', 'class C: where outcomes are asked for')
    .option('--authorization-env <name>', 'the environment variable with the whole Authorization header')
    .option('--signing-secret-file <path>', 'the file with the secret that calls are to be signed with')
    .addOption(new Option('--answer-form <form>', 'the form it is declared to answer in').choices(['full', 'compact']))
    .option('--params <json>', 'parameters of the action', '{}')
    .option('--action-type <name>', 'as the calls name it', 'check-endpoint')
    .option('--country <code>', 'as the calls name it', 'SG')
    .option('--batch-size <n>', 'users of an ordinary call', wholeNumber(1, 1000), 100)
    .option('--timeout-ms <n>', 'how long an answer may take', wholeNumber(50, 120_000), 10_000)
    .option(
      '--applies-late-seconds <n>',
      'class C: so long after its end a call may still be applied',
      wholeNumber(1, 3600),
      10,
    )
    .action((url: string, options: CheckEndpointOptions) =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { checkEndpoint } = await import('./check-endpoint.ts');
        return checkEndpoint(url, options, context);
      }),
    );
}

function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`);
  };
}
