import { z } from 'zod';
import { answerBatch } from './stub/batches.ts';
import { createCallLog } from './stub/call-log.ts';
import { createStubServer } from './stub/http.ts';
import { answerSegmentation } from './stub/segments.ts';

/**
 * Calls received by the stub services. The stub does as little as possible, because it shares the cores with the
 * measured processes.
 */
const log = createCallLog();

const question = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('answered-in-all') }),
  z.object({ ask: z.literal('most-at-once') }),
  z.object({ ask: z.literal('progress'), campaignId: z.string() }),
  z.object({ ask: z.literal('answers'), campaignId: z.string(), step: z.int() }),
]);

function reply(requested: z.infer<typeof question>): unknown {
  if (requested.ask === 'answered-in-all') return log.answeredInAll();
  if (requested.ask === 'most-at-once') return log.takeMostAtOnce();
  const steps = log.stepsOf(requested.campaignId);
  if (requested.ask === 'answers') return steps.get(requested.step)?.answeredAt ?? [];
  return [...steps].map(([step, { called, firstCallAt, lastCallAt, answeredAt }]) => {
    return {
      step,
      called,
      firstCallAt,
      lastCallAt,
      answered: answeredAt.length,
      lastAnswerAt: answeredAt.at(-1) ?? null,
    };
  });
}

const server = createStubServer(({ path, body }) =>
  path.startsWith('/batches/') ? answerBatch(path, body, log) : answerSegmentation(path),
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
process.on('message', (message) => process.send?.(reply(question.parse(message))));
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
