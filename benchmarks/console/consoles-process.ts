import { z } from 'zod';
import { openConsoles, type OpenConsoles } from './open-consoles.ts';

/**
 * Orders that the parent sends to a process that keeps consoles open. Reading in a separate process delays nothing that
 * the parent measures.
 */
export const consolesOrder = z.discriminatedUnion('order', [
  z.object({
    order: z.literal('open'),
    url: z.string(),
    consoles: z.array(
      z.object({
        cookie: z.string(),
        stream: z.string(),
        asks: z.array(z.object({ path: z.string(), everyMs: z.number() })).readonly(),
      }),
    ),
  }),
  z.object({ order: z.literal('close') }),
]);

export type ConsolesOrder = z.infer<typeof consolesOrder>;

let opened: OpenConsoles | undefined;

async function handleOrder(message: unknown): Promise<unknown> {
  const notified = consolesOrder.parse(message);
  if (notified.order === 'open') {
    opened = await openConsoles(notified.url, notified.consoles);
    return 'open';
  }
  const receipt = opened?.received();
  opened?.close();
  return receipt;
}

process.on('message', (message) => {
  handleOrder(message).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
