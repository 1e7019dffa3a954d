import { z } from 'zod';
import { paramsSchemaProblems } from '../../domain/endpoint/params-schema.ts';
import { pricePattern } from '../../domain/money/amounts.ts';
import { maxBatchUsers, usualBatchUsers } from '../../domain/step/batch.ts';
import { forbids, refusals, together } from '../stated-rules.ts';
import { nameShape, wordShape } from '../stored-texts.ts';
import { service, serviceUrl } from './called-service.ts';

/** JSON Schema that validates parameters (shared/domain/endpoint/params-schema.ts). */
const paramsSchema = z.record(z.string(), z.unknown());

export type ParamsSchema = z.infer<typeof paramsSchema>;

const actionTypeFields = service.extend({
  title: nameShape(60)
    .optional()
    .describe('Displayed name for campaign managers, such as `Give a reward`. Default: the name in words'),
  description: wordShape(500).optional().describe('What it does for a user, in plain words for campaign managers'),
  class: z.enum(['A', 'B', 'C', 'D']).describe('Guarantee of the endpoint about repeated calls'),
  check: z
    .boolean()
    .default(false)
    .describe('true: the type is a check before steps that name it, and cannot be a step; it has to be of class A'),
  statusUrl: serviceUrl
    .optional()
    .describe(
      'Class C only, and required there: endpoint that reports the outcome of users. It uses the same secret and time-out',
    ),
  previewUrl: serviceUrl
    .optional()
    .describe(
      'Endpoint that renders the message of one user, for managers (docs/optional-contracts.md). It uses the same secrets',
    ),
  appliesLateSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .describe(
      'Class C only, and required there: seconds after its end for which a call may still be applied. Outcomes are not ' +
        'requested before. At least the time-out',
    ),
  receipts: z
    .boolean()
    .default(false)
    .describe(
      'The endpoint answers 202: `succeeded` means accepted, and receipts report the outcome of each user later',
    ),
  receiptsSecretEnv: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as MESSAGES_RECEIPTS_SECRET')
    .optional()
    .describe('Name of the API’s environment variable with the secret that signs receipts (`whsec_…`)'),
  answerForm: z
    .enum(['full', 'compact'])
    .default('full')
    .describe('Expected form of answers. The other form is accepted too, but parsed more slowly'),
  keyLifeSeconds: z
    .int()
    .min(60)
    .default(30 * 86_400)
    .describe(
      'Time for which the endpoint keeps the guarantee of its class. Older open keys are not sent again; their users end as `unknown`',
    ),
  unavailableMeansNotApplied: z
    .boolean()
    .default(false)
    .describe('true: a 503 without `Retry-After` guarantees that nothing was applied'),
  understandsTest: z
    .boolean()
    .default(false)
    .describe('true: the endpoint supports `Muster-Mode: test`: it answers as usual but applies nothing'),
  price: z
    .string()
    .regex(pricePattern, 'has to be a decimal such as "0.05", with up to six places')
    .optional()
    .describe('Price of a unit in the currency of the installation; each run keeps the price of its start'),
  refusedPercentLimit: z
    .number()
    .min(0)
    .max(100)
    .default(5)
    .describe('Share of the answered users of a step (and at least 1,000) that may be refused before the step is held'),
  maxAttempts: z
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe('Maximum calls for a user with retryable failures, including the first'),
  retry: z
    .strictObject({
      firstDelayMs: z.int().min(100).max(3_600_000).default(500).describe('Upper limit of the first delay'),
      maxDelayMs: z.int().min(100).max(86_400_000).default(300_000).describe('Upper limit of every delay'),
    })
    .prefault({})
    .describe(
      'Delays between attempts: a random part of the first delay, which doubles with each attempt up to the longest',
    ),
  ratePerSecond: z
    .strictObject({
      calls: z.number().positive().max(1_000_000).optional().describe('Calls per second'),
      users: z.number().positive().max(100_000_000).optional().describe('Users per second'),
    })
    .optional()
    .describe('Limits for all workers together, over all countries'),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe(
      'Concurrent calls of one worker for this action type. Runs with few calls get up to a sixteenth more, and up to twice as many are allowed while calls of another run hang',
    ),
  minConcurrency: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe(
      'Lower limit to which a worker reduces its concurrent calls in a country after time-outs or 429. Not above `concurrency`',
    ),
  batchSize: z
    .int()
    .min(1)
    .max(maxBatchUsers)
    .default(usualBatchUsers)
    .describe('Maximum users per call. The smallest limit in a chain is the batch size of its runs'),
  maxAnswerBytes: z
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .describe('Bytes above which an answer counts as ambiguous'),
  paramsSchema: paramsSchema
    .superRefine((schema, context) => {
      for (const { path, message, value } of paramsSchemaProblems(schema)) {
        context.addIssue({
          code: 'custom',
          path: [...path],
          message,
          input: value,
          params: { code: 'unusable-schema' },
        });
      }
    })
    .meta(refusals({ 'unusable-schema': 'a schema has a keyword that is not supported, or cannot be compiled' }))
    .optional()
    .describe('JSON Schema (2020-12) of the parameters. A campaign that does not match it is refused'),
});

export const actionTypeRules = {
  if: { properties: { class: { const: 'C' } }, required: ['class'] },
  then: { required: ['statusUrl', 'appliesLateSeconds'] },
  else: forbids(together('statusUrl'), together('appliesLateSeconds')),
  ...forbids(
    { properties: { check: { const: true }, class: { enum: ['B', 'C', 'D'] } }, required: ['check', 'class'] },
    { properties: { check: { const: true }, receipts: { const: true } }, required: ['check', 'receipts'] },
    {
      properties: { receipts: { const: false } },
      required: ['receiptsSecretEnv'],
    },
  ),
  ...refusals({
    'shorter-than-timeout': '`appliesLateSeconds` is shorter than `timeoutMs`',
    'forbidden-address': 'an egress rule forbids an address',
    'only-in-file': 'an environment variable is named that the engine’s file does not name',
    'other-origin': 'a stored secret would be sent to another server',
    'only-when-registered': '`check` is changed',
    'not-asynchronous': 'a secret for receipts is given to an action type without receipts',
    'invalid-secret': 'a secret does not have the form of its kind',
  }),
};

export const actionTypeConfig = actionTypeFields.superRefine((type, context) => {
  checkClassTerms(type, context);
  checkReceiptTerms(type, context);
  checkCheckTerms(type, context);
});

export type ActionTypeConfig = z.infer<typeof actionTypeConfig>;

/**
 * Configuration as read from storage. Fields that only a newer version knows are dropped, and missing fields get their
 * defaults.
 */
export const keptActionTypeConfig = z.object({ ...actionTypeFields.shape, paramsSchema: paramsSchema.optional() });

/** Requires `statusUrl` and `appliesLateSeconds` for class C, because Muster can guess neither. */
function checkClassTerms(type: z.infer<typeof actionTypeFields>, context: z.RefinementCtx): void {
  const { statusUrl, appliesLateSeconds, timeoutMs } = type;
  const issue = (field: 'statusUrl' | 'appliesLateSeconds', message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: type[field] });
  if (type.class !== 'C') {
    if (statusUrl !== undefined) issue('statusUrl', 'is only for class C');
    if (appliesLateSeconds !== undefined) issue('appliesLateSeconds', 'is only for class C');
    return;
  }
  if (statusUrl === undefined)
    issue('statusUrl', 'is required for class C: the endpoint that reports the outcome of users');
  if (appliesLateSeconds === undefined) {
    issue('appliesLateSeconds', 'is required for class C: how long after its end a call may still be applied');
  } else if (appliesLateSeconds * 1000 < timeoutMs) {
    const message = `has to be at least the time-out, ${timeoutMs} ms`;
    const params = { code: 'shorter-than-timeout' };
    context.addIssue({ code: 'custom', path: ['appliesLateSeconds'], message, input: appliesLateSeconds, params });
  }
}

/**
 * Refuses a secret for receipts without `receipts`, because the secret suggests that receipts are accepted. `receipts`
 * without this secret is valid: the sender may use an API key, or an operator sets the secret later.
 */
function checkReceiptTerms(type: z.infer<typeof actionTypeFields>, context: z.RefinementCtx): void {
  const { receipts, receiptsSecretEnv } = type;
  if (receipts || receiptsSecretEnv === undefined) return;
  const message = `names ${receiptsSecretEnv}, and is only for action types with "receipts": true`;
  context.addIssue({ code: 'custom', path: ['receiptsSecretEnv'], message, input: receiptsSecretEnv });
}

/**
 * Refuses checks that are not of class A, and checks with receipts: a check can be repeated at will and has no later
 * effect.
 */
function checkCheckTerms(type: z.infer<typeof actionTypeFields>, context: z.RefinementCtx): void {
  if (!type.check) return;
  if (type.class !== 'A') {
    const message = 'a check has no effect and can be repeated: it has to be of class A';
    context.addIssue({ code: 'custom', path: ['class'], message, input: type.class });
  }
  if (type.receipts) {
    const message = 'a check has no effect that receipts could report';
    context.addIssue({ code: 'custom', path: ['receipts'], message, input: true });
  }
}
