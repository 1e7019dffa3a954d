import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, oneOf, several, text, usually, within } from '../frame/options.ts';

export const heading: Heading = 'Trying it out';

export const commands = byHand({
  name: 'check-endpoint',
  args: ['<url>'],
  description:
    'check by real calls with made-up users that a batch endpoint keeps the contract of its class; or check a segmentation service',
  options: {
    class: oneOf('--class <class>', 'contract class of the batch endpoint (docs/contracts.md)', ['A', 'B', 'C', 'D']),
    segmentation: flag('--segmentation', 'the URL is the base URL of a segmentation service'),
    segment: text('--segment <id>', 'with --segmentation: segment to read; by default the first of its list'),
    check: flag('--check', 'the URL is the endpoint of a check (class A)'),
    statusUrl: text('--status-url <url>', 'class C: URL of the status endpoint'),
    options: several('--options <url>', 'URL of a list of options, as x-options in the schema; repeatable'),
    previewUrl: text(
      '--preview-url <url>',
      'URL that renders the message of one user, as previewUrl of the action type',
    ),
    authorizationEnv: text('--authorization-env <name>', 'environment variable with the whole Authorization header'),
    signingSecretFile: text('--signing-secret-file <path>', 'file with the secret that signs calls'),
    answerForm: oneOf('--answer-form <form>', 'declared form of the answers', ['full', 'compact']),
    params: usually('--params <json>', 'parameters of the action', { usual: '{}' }),
    actionType: usually('--action-type <name>', 'name of the action type in the calls', { usual: 'check-endpoint' }),
    country: usually('--country <code>', 'country in the calls', { usual: 'SG' }),
    batchSize: within('--batch-size <n>', 'number of users in a usual call', { least: 1, most: 1000, usual: 100 }),
    timeoutMs: within('--timeout-ms <n>', 'time-out of a call', { least: 50, most: 120_000, usual: 10_000 }),
    appliesLateSeconds: within(
      '--applies-late-seconds <n>',
      'class C: seconds after its end for which a call may still be applied',
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
