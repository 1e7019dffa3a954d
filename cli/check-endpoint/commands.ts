import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, oneOf, several, text, usually, within } from '../frame/options.ts';

export const heading: Heading = 'Trying it out';

export const commands = byHand({
  name: 'check-endpoint',
  args: ['<url>'],
  description:
    'play a batch endpoint through what its contract class promises, by real calls with made-up users; or a segmentation service',
  options: {
    class: oneOf('--class <class>', 'what a batch endpoint promises to keep (docs/contracts.md)', ['A', 'B', 'C', 'D']),
    segmentation: flag('--segmentation', 'the url is the base of a segmentation service'),
    segment: text('--segment <id>', 'the segment to page, with --segmentation; the first one of its list without'),
    check: flag('--check', 'a check: asked before a step, and answers anew each time; of class A'),
    statusUrl: text('--status-url <url>', 'class C: where outcomes are asked for'),
    options: several('--options <url>', 'as x-options of its schema names a list to choose from; may be repeated'),
    authorizationEnv: text(
      '--authorization-env <name>',
      'the environment variable with the whole Authorization header',
    ),
    signingSecretFile: text(
      '--signing-secret-file <path>',
      'the file with the secret that calls are to be signed with',
    ),
    answerForm: oneOf('--answer-form <form>', 'the form it is declared to answer in', ['full', 'compact']),
    params: usually('--params <json>', 'parameters of the action', { usual: '{}' }),
    actionType: usually('--action-type <name>', 'as the calls name it', { usual: 'check-endpoint' }),
    country: usually('--country <code>', 'as the calls name it', { usual: 'SG' }),
    batchSize: within('--batch-size <n>', 'users of an ordinary call', { least: 1, most: 1000, usual: 100 }),
    timeoutMs: within('--timeout-ms <n>', 'how long an answer may take', { least: 50, most: 120_000, usual: 10_000 }),
    appliesLateSeconds: within(
      '--applies-late-seconds <n>',
      'class C: so long after its end a call may still be applied',
      {
        least: 1,
        most: 3600,
        usual: 10,
      },
    ),
  },
  run: async ({ args: [url], options, context }) =>
    (await import('./check-endpoint.ts')).checkEndpoint(url, options, context),
});
